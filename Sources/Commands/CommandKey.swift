/// What a command does, and to what: `CommandKey("orders.sync", "site 1", "page 2")`.
public struct CommandKey: Hashable, Sendable, CustomStringConvertible {
    public let name: String
    public let arguments: [String]

    public init(_ name: String, _ arguments: String...) { (self.name, self.arguments) = (name, arguments) }

    public var description: String { ([name] + arguments).joined(separator: " ") }
}
