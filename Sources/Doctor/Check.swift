/// Looks at one thing that payments or receipts depend on. A check changes nothing.
public protocol Check: Sendable {
    var name: CheckName { get }

    /// What there is to say, at least one thing.
    func findings() async -> [Finding]
}
