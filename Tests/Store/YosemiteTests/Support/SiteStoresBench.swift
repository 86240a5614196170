import Determinism
import Networking
import Storage
import Synchronization
import TestDoubles
import Testing
import Text

@testable import Yosemite

/// A session with all stores of a site, on a network without a wire and a database in memory.
struct SiteStoresBench: Sendable {
    enum Account {
        /// Signed in to the site itself.
        case site
        case dotcom
    }

    /// What requests go to, unless something else carries them.
    let network: MockNetwork
    let storage: SQLiteStorageManager
    let dispatcher: Dispatcher
    /// Kept, since the dispatcher does not keep the stores.
    private let stores: [any Store]

    /// 2026-06-18T21:30:00Z, a Thursday; in Berlin it is half past eleven in the evening.
    static let evening = Timestamp(milliseconds: 1_781_818_200_000)

    /// `shared`: a database that another session has too.
    /// `carrier`: what requests go to instead of ``network``.
    init(
        _ account: Account = .site, storage shared: SQLiteStorageManager? = nil, over carrier: (any Network)? = nil
    ) throws {
        let address = try WebAddress("https://shop.example")
        let credentials: Credentials =
            switch account {
            case .site: .applicationPassword(ApplicationPassword(username: "u", password: Secret("p")), site: address)
            case .dotcom: .wordPressDotcom(username: "u", token: Secret("t"), site: nil)
            }
        let network = MockNetwork()
        let sender = SiteClient(
            network: carrier ?? network, credentials: credentials, retries: .never,
            time: VirtualTimeSource(start: Self.evening), random: SeededRandomSource(seed: 1))
        try self.init(sender: sender, storage: shared, network: network)
    }

    /// Creates a bench with another sender of requests.
    init(
        sender: any RequestSender, storage shared: SQLiteStorageManager? = nil, network: MockNetwork = MockNetwork()
    ) throws {
        self.network = network
        let time = VirtualTimeSource(start: Self.evening)
        storage = try shared ?? SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let context = StoreContext(sender: sender, storage: storage, time: time)
        dispatcher = Dispatcher(time: time)
        stores = [
            CommentStore(context), NotificationStore(context), SettingStore(context), ShipmentStore(context),
            RefundStore(context), StatsStore(context), StatsStoreV4(context), TaxClassesStore(context),
        ]
        for store in stores { _ = try store.registerSupportedActions(in: dispatcher) }
    }

    /// Dispatches an action and waits for its result.
    func result<Value: Sendable>(
        of makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async -> Result<Value, StoreError> {
        do throws(ActionFailure<StoreError>) {
            return .success(try await dispatcher.perform(makeAction))
        } catch {
            guard case .failed(let failure) = error else {
                Issue.record("\(error)")
                return .failure(.canceled)
            }
            return .failure(failure)
        }
    }

    func value<Value: Sendable>(
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws(StoreError) -> Value {
        try await result(of: makeAction).get()
    }

    /// Why an action failed; nil when it did not.
    func failure<Value: Sendable>(
        _ type: Value.Type,
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async -> StoreError? {
        switch await result(of: makeAction) {
        case .success: nil
        case .failure(let error): error
        }
    }

    // MARK: Network

    /// The query of each request, decoded.
    var queries: [String] { network.requests.map { $0.address.query.map { PercentEncoding.decode($0) } ?? "" } }

    var bodies: [String] { network.requests.map { String(decoding: $0.body ?? [], as: UTF8.self) } }

    /// Answers with an error of the server.
    func refuse(_ suffix: String, status: Int = 500, code: String = "oops", message: String = "It failed.") {
        network.simulate(suffix, json: #"{"code":"\#(code)","message":"\#(message)"}"#, status: status)
    }

    // MARK: Storage

    func kept<Model: ReadOnlyType>(_ type: Model.Type) throws -> [Model] {
        try storage.read { try $0.models(type) }
    }

    func keep<Model: ReadOnlyType>(_ models: [Model]) throws {
        try storage.performAndSave { _ = try $0.save(models) }
    }

    /// How many rows a table has.
    func rows<Record: Object>(_ type: Record.Type) throws -> Int {
        try storage.read { try $0.countObjects(ofType: type, matching: .all) }
    }
}

/// A database that another program holds: it can be read, and not written.
struct UnwritableStorage: StorageManagerType {
    let storage: any StorageManagerType

    var path: String? { storage.path }

    func read<T>(_ query: (any StorageType) throws -> T) throws -> T { try storage.read(query) }

    func performAndSave<T>(_ operation: (any StorageType) throws -> T) throws -> T {
        throw StorageError.busy(path: "till.sqlite")
    }

    func observe<T: ObservableObject>(
        _ type: T.Type, onCommit: @escaping @Sendable (RowChanges, any StorageType) -> StorageNotification?
    ) -> StorageObservation {
        storage.observe(type, onCommit: onCommit)
    }

    func readBetweenCommits(_ query: (any StorageType) throws -> StorageNotification?) throws {
        try storage.readBetweenCommits(query)
    }

    func externalVersion() throws(StorageError) -> Int64 { try storage.externalVersion() }
}
