/// Something that the program is asked to do: one case of an enumeration per operation, with all that the
/// operation needs, and a completion closure where there is an answer.
///
/// A completion closure has the form `@Sendable (Result<Value, Failure>) -> Void` and is called exactly
/// once. ``ActionDispatching/perform(_:)`` turns such an action into an `async` call.
public protocol Action: Sendable {
    /// The operation's name for logs, without any of its values.
    var name: String { get }

    /// What a log may show of the action's values, by name. The action itself chooses: card data, credentials
    /// and the customer's personal data are never among them.
    var redactedDescription: [String: String] { get }
}

extension Action {
    /// The type and the case, for example `ReceiptAction.print`.
    public var name: String {
        let mirror = Mirror(reflecting: self)
        let type = String(describing: Self.self)
        guard mirror.displayStyle == .enum else { return type }
        if let label = mirror.children.first?.label { return "\(type).\(label)" }
        // A case without values describes itself by its name, unless the type has words of its own.
        return self is any CustomStringConvertible ? type : "\(type).\(self)"
    }
}
