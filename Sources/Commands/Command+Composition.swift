extension Command {
    /// A command that carries this one out and then the one that `next` makes of its value. Its key is this one's:
    /// give it another with ``keyed(_:)`` when both may be in one queue.
    public func then<Next: Sendable>(
        _ next: @escaping @Sendable (Value) -> any Command<Next, Failure>
    ) -> any Command<Next, Failure> {
        ClosureCommand(key: key) { () throws(Failure) in
            let value = try await execute()
            return try await next(value).execute()
        }
    }

    /// A command that makes something else of this one's value.
    public func map<Mapped: Sendable>(
        _ transform: @escaping @Sendable (Value) throws(Failure) -> Mapped
    ) -> any Command<Mapped, Failure> {
        ClosureCommand(key: key) { () throws(Failure) in try transform(try await execute()) }
    }

    /// A command that fails with another error, so that commands of several layers go into one.
    public func mapFailure<Mapped: Error>(
        _ transform: @escaping @Sendable (Failure) -> Mapped
    ) -> any Command<Value, Mapped> {
        ClosureCommand(key: key) { () throws(Mapped) in
            do throws(Failure) { return try await execute() } catch { throw transform(error) }
        }
    }

    /// The same command under another key.
    public func keyed(_ key: CommandKey) -> any Command<Value, Failure> {
        ClosureCommand(key: key) { () throws(Failure) in try await execute() }
    }
}
