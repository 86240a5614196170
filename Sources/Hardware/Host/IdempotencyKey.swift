/// Names one attempt to move money, for ever. It is made once, stored before the first message that
/// carries it is sent, and sent again with every repeat.
public struct IdempotencyKey: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
}
