public import Commands
public import Determinism
public import Experiments
public import Networking
public import Storage

/// What the stores of a site work with.
public struct StoreContext: Sendable {
    /// Sends requests in the name of whoever is signed in.
    public let sender: any RequestSending
    public let storage: any StorageManagerType
    public let time: any TimeSource
    /// Carries out what the stores ask sites for.
    public let commands: CommandQueue
    /// Whichever store brings an order, those who wait for new ones hear of it.
    let insertedOrders = InsertedOrders()
    /// The site that is asked without WordPress.com; nil when WordPress.com is asked.
    public let directSite: WebAddress?
    /// Knows which features are on.
    public let features: any FeatureFlagService

    /// `concurrency`: how many requests are on their way at the same time.
    public init(
        sender: any RequestSending, storage: any StorageManagerType, time: any TimeSource, concurrency: Int = 4,
        directSite: WebAddress? = nil, features: any FeatureFlagService = DefaultFeatureFlagService()
    ) {
        (self.sender, self.storage, self.time) = (sender, storage, time)
        (self.directSite, self.features) = (directSite, features)
        commands = CommandQueue(concurrency: concurrency)
    }

    /// Carries out a command in the queue, and tells how it ended, once.
    ///
    /// One that asks the same as another one that waits or runs, by its key, shares that one's answer. A command
    /// without a key is always carried out.
    ///
    /// - Returns: the wait for the command; when it is cancelled, so is a command for which nobody else waits.
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
                    case .cancelled: .failure(.cancelled)
                    }
            }
            onCompletion(result)
        }
    }

    /// Asks a site, saves what `save` makes of the answer, and hands that out.
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

    /// Reads what is kept.
    func read<Value>(
        _ onCompletion: (Result<Value, StoreError>) -> Void, _ query: (any StorageType) throws -> Value
    ) {
        onCompletion(Result { try storage.read(query) }.mapError { StoreError($0, path: storage.path) })
    }

    /// Changes what is kept, all of it or nothing.
    func write<Value>(
        _ onCompletion: (Result<Value, StoreError>) -> Void, _ operation: (any StorageType) throws -> Value
    ) {
        onCompletion(Result { try storage.performAndSave(operation) }.mapError { StoreError($0, path: storage.path) })
    }
}
