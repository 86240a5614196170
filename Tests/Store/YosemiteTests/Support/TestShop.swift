import Determinism
import Networking
import Settings
import Storage

@testable import Yosemite

/// The stores of a site over a scripted site and a database in memory.
struct TestShop {
    static let siteID: Int64 = 7

    let site: ScriptedSite
    let storage: any StorageManagerType
    let context: StoreContext
    let time: VirtualTimeSource
    private let dispatcher: Dispatcher

    init(
        storage: (any StorageManagerType)? = nil, features: FeatureOverrides = FeatureOverrides(),
        _ script: @escaping ScriptedSite.Script = { _ in .json("[]") }
    ) throws {
        let time = VirtualTimeSource(start: Timestamp("2026-03-01T12:00:00Z")!)
        (site, self.time) = (ScriptedSite(script), time)
        self.storage = try storage ?? SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let password = ApplicationPassword(username: "anna", password: Secret("abcd efgh"))
        let client = SiteClient(
            network: site, credentials: .applicationPassword(password, site: try WebAddress("https://shop.example/")),
            retries: .never, time: time, random: SeededRandomSource(seed: 2))
        context = StoreContext(
            sender: client, storage: self.storage, time: time, features: DefaultFeatureFlagService(overrides: features))
        dispatcher = Dispatcher(time: time)
        for store in SiteStores.all(context) { _ = try store.registerSupportedActions(in: dispatcher) }
    }

    /// Dispatches an action and waits for its result.
    func value<Value: Sendable>(
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws(StoreError) -> Value {
        do throws(ActionFailure<StoreError>) {
            return try await dispatcher.perform { makeAction($0) }
        } catch {
            guard case .failed(let error) = error else { fatalError("\(error)") }
            throw error
        }
    }

    func dispatch(_ action: any Action) throws { try dispatcher.dispatch(action) }

    // MARK: What is stored

    func save<Model: ReadOnlyType>(_ models: [Model]) throws {
        _ = try storage.performAndSave { try $0.save(models) }
    }

    func models<Model: ReadOnlyType>(_ type: Model.Type) throws -> [Model] {
        try storage.read { try $0.models(type) }
    }

    func order(_ id: Int64, site: Int64 = siteID) throws -> Order? {
        try storage.read { try $0.model(Order.self, matching: { $0.siteID == site && $0.id == id }) }
    }

    /// The ids of the stored orders of a site.
    func orderIDs(site: Int64 = siteID) throws -> [Int64] {
        try storage.read { try $0.models(Order.self, matching: { $0.siteID == site }).map(\.id) }
    }

    /// Stores an order as a site would have given it.
    @discardableResult
    func keep(_ json: String, site: Int64 = siteID) throws -> Order {
        let order = try ValueMapper(Order.self, context: DecodingContext(siteID: site)).map(response: Array(json.utf8))
        try save([order])
        return order
    }
}
