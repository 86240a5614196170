/// One command in a ``CommandQueue``, with those who wait for it.
struct Execution: Sendable {
    let number: UInt64
    let identity: CommandIdentity?
    var waiters: [any Waiter]
    let body: @Sendable () async -> Void
    /// There from its beginning.
    var task: Task<Void, Never>?
    /// Nobody waits for it but one who was cancelled.
    var isAbandoned = false

    init(
        number: UInt64, identity: CommandIdentity?, waiters: [any Waiter], body: @escaping @Sendable () async -> Void
    ) {
        (self.number, self.identity, self.waiters, self.body) = (number, identity, waiters, body)
    }

    func mayBeJoined(as identity: CommandIdentity) -> Bool { self.identity == identity && !isAbandoned }

    func isAwaited(by waiter: any Waiter) -> Bool { waiters.contains { $0 === waiter } }

    mutating func remove(_ waiter: any Waiter) { waiters.removeAll { $0 === waiter } }
}

/// What makes two commands the same: what they say of themselves, and the types of their results.
struct CommandIdentity: Hashable, Sendable {
    let key: CommandKey
    let value: ObjectIdentifier
    let failure: ObjectIdentifier

    init(key: CommandKey, value: Any.Type, failure: Any.Type) {
        (self.key, self.value, self.failure) = (key, ObjectIdentifier(value), ObjectIdentifier(failure))
    }
}
