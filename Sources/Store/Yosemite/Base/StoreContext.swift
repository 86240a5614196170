public import Concurrency
public import Determinism
public import Networking
public import Settings
public import Storage

/// The dependencies of the stores of a site.
public struct StoreContext: Sendable {
    /// Sends requests with the credentials of the signed-in user.
    public let sender: any RequestSender
    public let storage: any StorageManagerType
    public let time: any TimeSource
    /// The queue of requests to sites.
    public let commands: CommandQueue
    /// Reports orders that are new in the database to ``OrderAction/observeInsertedOrders(siteID:onCompletion:)``.
    let insertedOrders = InsertedOrders()
    /// The site that is addressed directly; nil for requests through WordPress.com.
    public let directSite: WebAddress?
    /// The feature flags.
    public let features: any FeatureFlagService

    /// `concurrency`: the maximum number of requests in flight.
    public init(
        sender: any RequestSender, storage: any StorageManagerType, time: any TimeSource, concurrency: Int = 4,
        directSite: WebAddress? = nil, features: any FeatureFlagService = DefaultFeatureFlagService()
    ) {
        (self.sender, self.storage, self.time) = (sender, storage, time)
        (self.directSite, self.features) = (directSite, features)
        commands = CommandQueue(concurrency: concurrency)
    }

    /// Runs a command in the queue, and reports its result once.
    ///
    /// A command with the key of a waiting or running command shares its result. A command without a key always runs.
    ///
    /// - Returns: the wait for the command. Canceling it cancels the command unless another caller waits for it.
    @discardableResult
    func run<Value: Sendable>(
        _ command: any Command<Value, StoreError>,
        _ onCompletion: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) -> Task<Void, Never> {
        Task { [commands] in
            let result: Result<Value, StoreError>
            do throws(QueueFailure<StoreError>) {
                result = .success(try await commands.run(command, reuse: true))
            } catch {
                result =
                    switch error {
                    case .failed(let error): .failure(error)
                    case .canceled: .failure(.canceled)
                    }
            }
            onCompletion(result)
        }
    }

    /// Sends a request to a site, saves the response with `save`, and reports what `save` returns.
    func synchronize<Answer: Sendable, Value: Sendable>(
        _ key: CommandKey?, _ ask: @escaping @Sendable () async throws(NetworkError) -> Answer,
        save: @escaping @Sendable (Answer, any StorageType) throws -> Value,
        _ onCompletion: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        let storage = storage
        run(
            HTTPCommand(key: key, ask).then { answer in StoreCommand(in: storage) { try save(answer, $0) } },
            onCompletion)
    }

    /// Reads from the database.
    func read<Value>(
        _ onCompletion: (Result<Value, StoreError>) -> Void, _ query: (any StorageType) throws -> Value
    ) {
        onCompletion(Result { try storage.read(query) }.mapError { StoreError($0, path: storage.path) })
    }

    /// Writes to the database in one transaction.
    func write<Value>(
        _ onCompletion: (Result<Value, StoreError>) -> Void, _ operation: (any StorageType) throws -> Value
    ) {
        onCompletion(Result { try storage.performAndSave(operation) }.mapError { StoreError($0, path: storage.path) })
    }
}

extension StoreContext {
    /// Runs several steps as one command of the queue, and reports the result once.
    ///
    /// `key`: identifies reads that may share one result; nil for changes.
    ///
    /// - Returns: the wait for the command. Canceling it cancels the command unless another caller waits for it.
    @discardableResult
    func carryOut<Value: Sendable>(
        _ key: CommandKey? = nil, _ onCompletion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        _ steps: @escaping @Sendable () async throws(StoreError) -> Value
    ) -> Task<Void, Never> {
        run(ClosureCommand(key: key, steps), onCompletion)
    }

    /// Sends a request to a site.
    func ask<Value>(
        _ question: () async throws(NetworkError) -> Value
    ) async throws(StoreError) -> Value {
        do throws(NetworkError) { return try await question() } catch { throw StoreError(error) }
    }

    /// Reads from the database.
    func read<Value>(_ query: (any StorageType) throws -> Value) throws(StoreError) -> Value {
        do { return try storage.read(query) } catch { throw StoreError(error, path: storage.path) }
    }

    /// Writes to the database in one transaction.
    @discardableResult
    func write<Value>(_ operation: (any StorageType) throws -> Value) throws(StoreError) -> Value {
        do { return try storage.performAndSave(operation) } catch { throw StoreError(error, path: storage.path) }
    }
}

extension StoreError {
    /// A request canceled before it was sent is no network failure.
    init(_ error: NetworkError) {
        if case .canceled(wasSent: false) = error { self = .canceled } else { self = .network(error) }
    }
}

/// A request to a site.
public struct HTTPCommand<Value: Sendable>: Command {
    public let key: CommandKey?
    private let ask: @Sendable () async throws(NetworkError) -> Value

    /// - Parameters:
    ///   - key: identifies reads that may share one result; nil for changes.
    ///   - ask: sends the request.
    public init(key: CommandKey? = nil, _ ask: @escaping @Sendable () async throws(NetworkError) -> Value) {
        (self.key, self.ask) = (key, ask)
    }

    public func execute() async throws(StoreError) -> Value {
        do throws(NetworkError) { return try await ask() } catch { throw StoreError(error) }
    }
}

/// A write to the database in one transaction.
public struct StoreCommand<Value: Sendable>: Command {
    public let key: CommandKey?
    private let storage: any StorageManagerType
    private let operation: @Sendable (any StorageType) throws -> Value

    /// Runs `operation` in one transaction of `storage`; when it throws, nothing is written.
    public init(
        key: CommandKey? = nil, in storage: any StorageManagerType,
        _ operation: @escaping @Sendable (any StorageType) throws -> Value
    ) {
        (self.key, self.storage, self.operation) = (key, storage, operation)
    }

    public func execute() async throws(StoreError) -> Value {
        do { return try storage.performAndSave(operation) } catch { throw StoreError(error, path: storage.path) }
    }
}

extension Command where Failure == StoreError {
    /// Returns a command that deletes an element here when the site doesn't have it.
    ///
    /// - Parameters:
    ///   - missing: the error for an element that neither the site nor the database has.
    ///   - deletion: deletes the element.
    /// - Returns: the command. It fails with `missing` after the deletion.
    func forgetting(
        _ missing: StoreError, with deletion: @escaping @Sendable () -> any Command<Void, StoreError>
    ) -> any Command<Value, StoreError> {
        otherwise { error in
            guard case .network(.service(let service)) = error, service.kind == .notFound else {
                return KnownCommand(failure: error)
            }
            return deletion().then { KnownCommand(failure: missing) }
        }
    }
}
