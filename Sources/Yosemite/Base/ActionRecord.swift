public import Determinism

/// What a log keeps of an action that was accepted for processing.
public struct ActionRecord: Hashable, Sendable, Codable {
    /// 1 and up, in the order of processing.
    public let sequence: UInt64
    /// The action's name.
    public let name: String
    /// What the action lets a log show of its values.
    public let arguments: [String: String]
    /// When it was dispatched.
    public let at: Timestamp

    private enum CodingKeys: String, CodingKey {
        case sequence
        case name
        case arguments
        case atMilliseconds
    }

    init(sequence: UInt64, name: String, arguments: [String: String], at: Timestamp) {
        (self.sequence, self.name, self.arguments, self.at) = (sequence, name, arguments, at)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sequence = try container.decode(UInt64.self, forKey: .sequence)
        name = try container.decode(String.self, forKey: .name)
        arguments = try container.decode([String: String].self, forKey: .arguments)
        at = Timestamp(milliseconds: try container.decode(Int64.self, forKey: .atMilliseconds))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(name, forKey: .name)
        try container.encode(arguments, forKey: .arguments)
        try container.encode(at.milliseconds, forKey: .atMilliseconds)
    }
}
