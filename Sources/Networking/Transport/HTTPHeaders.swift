/// Header fields in the order in which they came; names are compared without regard to case (RFC 9110 §5).
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    public private(set) var fields: [Field] = []

    public init() {}

    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of the field.
    public subscript(name: String) -> String? { fields.first { Self.isSame($0.name, name) }?.value }

    /// All values of the field.
    public func values(of name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    public mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    private static func isSame(_ first: String, _ second: String) -> Bool {
        first.utf8.count == second.utf8.count && first.lowercased() == second.lowercased()
    }
}
