internal import Commands
internal import Networking
internal import Storage

extension StoreContext {
    /// Carries out several steps as one command of the queue, and tells how they ended, once.
    ///
    /// `key`: what is asked, when two that ask the same may share one answer; nil for what changes something.
    ///
    /// - Returns: the wait for the command; when it is cancelled, so is a command for which nobody else waits.
    @discardableResult
    func carryOut<Value: Sendable>(
        _ key: CommandKey? = nil, _ onCompletion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        _ steps: @escaping @Sendable () async throws(StoreError) -> Value
    ) -> Task<Void, Never> {
        run(ClosureCommand(key: key, steps), onCompletion)
    }

    /// Asks a site.
    func ask<Value>(
        _ question: () async throws(NetworkError) -> Value
    ) async throws(StoreError) -> Value {
        do throws(NetworkError) { return try await question() } catch { throw StoreError(error) }
    }

    /// Reads what is kept.
    func read<Value>(_ query: (any StorageType) throws -> Value) throws(StoreError) -> Value {
        do { return try storage.read(query) } catch { throw StoreError(error, path: storage.path) }
    }

    /// Changes what is kept, all of it or nothing.
    @discardableResult
    func write<Value>(_ operation: (any StorageType) throws -> Value) throws(StoreError) -> Value {
        do { return try storage.performAndSave(operation) } catch { throw StoreError(error, path: storage.path) }
    }
}

extension StoreError {
    /// A wait that was given up before anything was sent is no failure of the network.
    init(_ error: NetworkError) {
        if case .cancelled(wasSent: false) = error { self = .cancelled } else { self = .network(error) }
    }
}
