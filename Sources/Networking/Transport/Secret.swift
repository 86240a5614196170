/// A password, a token, or a header that holds one. It has no textual form but the one that is asked for by name.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    public init(_ text: String) { self.text = text }

    /// The secret itself, for the one place that sends or keeps it.
    public func revealed() -> String { text }

    public var isEmpty: Bool { text.isEmpty }

    public var description: String { "••••" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Decodable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }
}
