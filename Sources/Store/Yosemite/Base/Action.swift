public import Determinism
import Synchronization

/// A request to the business logic: one case of an enumeration per operation, with its parameters, and a completion
/// closure where there is a result.
///
/// A completion closure has the form `@Sendable (Result<Value, Failure>) -> Void` and is called exactly once.
/// ``ActionDispatching/perform(_:)`` turns such an action into an `async` call.
public protocol Action: Sendable {
    /// The operation's name for logs, without its parameters.
    var name: String { get }

    /// The parameters that may appear in logs, by name. Never card data, credentials or the customer's personal data.
    var redactedDescription: [String: String] { get }
}

extension Action {
    /// The completion of an action on a site.
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// The type and the case, for example `ReceiptAction.print`.
    public var name: String { reflectedName }

    /// The name by reflection.
    var reflectedName: String {
        let mirror = Mirror(reflecting: self)
        let type = ActionTypeNames.name(of: Self.self)
        guard mirror.displayStyle == .enum else { return type }
        if let label = mirror.children.first?.label { return "\(type).\(label)" }
        // A case without values describes itself by its name, unless the type has a description of its own.
        return self is any CustomStringConvertible ? type : "\(type).\(self)"
    }
}

/// The names of the types of actions. Making one takes longer than the rest of an action's log entry.
private enum ActionTypeNames {
    private static let known = Mutex<[ObjectIdentifier: String]>([:])

    static func name(of type: any Action.Type) -> String {
        known.withLock { known in
            if let name = known[ObjectIdentifier(type)] { return name }
            let name = String(describing: type)
            known[ObjectIdentifier(type)] = name
            return name
        }
    }
}

/// An object that carries out the actions of one type.
public protocol ActionsProcessor<SupportedAction>: AnyObject, Sendable {
    /// The type of the actions.
    associatedtype SupportedAction: Action

    /// Starts `action` and returns soon, because other actions wait. Long work runs in a task; the action's completion
    /// reports its end.
    func onAction(_ action: SupportedAction)
}

/// The log entry of an accepted action.
public struct ActionRecord: Hashable, Sendable, Codable {
    /// 1 and up, in the order of processing.
    public let sequence: UInt64
    /// The action's name.
    public let name: String
    /// The parameters that the action allows in logs.
    public let arguments: [String: String]
    /// The time at which it was dispatched.
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

    /// Reads a line of the action log.
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
