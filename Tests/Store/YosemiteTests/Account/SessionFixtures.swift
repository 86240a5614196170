import Determinism
import Networking
import Storage
import Synchronization
import TestDoubles

@testable import Yosemite

extension SignIn {
    static func dotcom(_ username: String, siteID: Int64? = 7) -> SignIn {
        SignIn(
            credentials: .wordPressDotcom(username: username, token: Secret("t0k3n"), site: nil), siteID: siteID)
    }

    static func direct(_ username: String, password: String = "abcdefgh", site: WebAddress) -> SignIn {
        SignIn(
            credentials: .applicationPassword(
                ApplicationPassword(username: username, password: Secret(password), uuid: "u-1"), site: site),
            siteID: site.directSiteID)
    }
}

/// Stores a session like a vault, and fails on request.
final class InMemorySignInStorage: SignInStorage {
    private struct State {
        var kept: SignIn?
        var saves = 0
        var failure: SignInStorageError?
    }

    private let state: Mutex<State>

    init(_ kept: SignIn? = nil) { state = Mutex(State(kept: kept)) }

    var kept: SignIn? { state.withLock { $0.kept } }
    var saves: Int { state.withLock { $0.saves } }

    func fail(_ error: SignInStorageError?) { state.withLock { $0.failure = error } }

    func load() throws(SignInStorageError) -> SignIn? {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return kept
    }

    func save(_ signIn: SignIn) throws(SignInStorageError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        state.withLock { ($0.kept, $0.saves) = (signIn, $0.saves + 1) }
    }

    func forget() throws(SignInStorageError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        state.withLock { $0.kept = nil }
    }
}

/// A session on a scripted network and a database in memory, as the command line puts it together.
struct TestSession {
    let network = MockNetwork()
    let storage: SQLiteStorageManager
    let keeper: InMemorySignInStorage
    let session: SessionManager
    let manager: StoresManager

    init(_ signIn: SignIn?) throws {
        storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        keeper = InMemorySignInStorage(signIn)
        session = try SessionManager(keeper: keeper)
        let (network, storage) = (network, storage)
        let time = VirtualTimeSource()
        manager = try StoresManager(
            dispatcher: Dispatcher(time: time), session: session,
            configuration: StoresManager.Configuration(
                authenticated: { signIn, onRefusal in
                    let session = SiteSession(
                        signIn, network: network, storage: storage, time: time, random: SeededRandomSource(seed: 1),
                        onRefusal: onRefusal)
                    return AuthenticatedState(
                        signIn: signIn, session: session, stores: SiteStores.all(session.context))
                },
                deauthenticated: { DeauthenticatedState() }, disconnectReader: { _ in },
                forget: { () throws(StorageError) in try storage.reset() }))
    }

    func value<Value: Sendable>(
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws(ActionFailure<StoreError>) -> Value {
        try await manager.perform { makeAction($0) }
    }
}

/// Sites as WordPress.com lists them.
enum SiteJSON {
    static func site(_ id: Int64, name: String = "Shop", url: String? = nil, wooCommerce: Bool = true) -> String {
        """
        {"ID":\(id),"name":"\(name)","description":"","URL":"\(url ?? "https://shop\(id).example")","jetpack":true,
         "jetpack_connection":true,"was_ecommerce_trial":false,
         "options":{"timezone":"Europe/Berlin","gmt_offset":1,"woocommerce_is_active":\(wooCommerce),
         "admin_url":"","login_url":"","frame_nonce":"","is_wpcom_store":false,"can_blaze":false}}
        """
    }

    static func list(_ sites: [String]) -> String { "{\"sites\":[\(sites.joined(separator: ","))]}" }
}
