import Concurrency
public import Determinism
public import Networking
public import Settings
public import Storage
import Synchronization

/// The dependencies of the stores of one session, until it ends.
public struct SiteSession: Sendable {
    public let signIn: SignIn
    /// The store that was selected when the session began; nil for none.
    public let site: Site?
    public let context: StoreContext
    private let sender: SessionSender

    /// - Parameters:
    ///   - signIn: the signed-in user.
    ///   - site: the selected store's details; nil when unknown.
    ///   - network: sends the requests.
    ///   - storage: the database.
    ///   - time: the clock for pauses and records.
    ///   - random: the random source for pauses between attempts.
    ///   - features: the feature flags.
    ///   - concurrency: the maximum number of requests in flight.
    ///   - onRefusal: called once, when the credentials are no longer valid.
    public init(
        _ signIn: SignIn, site: Site? = nil, network: any Network, storage: any StorageManagerType,
        time: any TimeSource,
        random: any RandomSource, features: any FeatureFlagService = DefaultFeatureFlagService(), concurrency: Int = 4,
        onRefusal: @escaping @Sendable (ServiceError) -> Void
    ) {
        (self.signIn, self.site) = (signIn, site)
        sender = SessionSender(
            SiteClient(
                network: network, credentials: signIn.credentials, time: time, random: random, dotcom: signIn.dotcom),
            credentials: signIn.credentials, onRefusal: onRefusal)
        context = StoreContext(
            sender: sender, storage: storage, time: time,
            concurrency: features.isEnabled(.concurrentSync) ? concurrency : 1,
            directSite: signIn.credentials.directSite, features: features)
    }

    /// Cancels what is running, so that nothing of this session is saved after its data was deleted.
    func end() async {
        sender.end()
        await context.commands.end()
    }
}

/// Sends the requests of one session, and reports when its credentials are no longer valid.
public final class SessionSender: RequestSender {
    private enum State { case open, refused, ended }

    private let sender: any RequestSender
    private let isDirect: Bool
    private let onRefusal: @Sendable (ServiceError) -> Void
    private let state = Mutex(State.open)

    /// - Parameters:
    ///   - sender: sends the requests, and renews tokens before it reports a refusal.
    ///   - credentials: the credentials of the sender.
    ///   - onRefusal: called once, however many requests are refused.
    public init(
        _ sender: any RequestSender, credentials: Credentials, onRefusal: @escaping @Sendable (ServiceError) -> Void
    ) {
        (self.sender, isDirect, self.onRefusal) = (sender, credentials.directSite != nil, onRefusal)
    }

    public func send(_ request: any Request) async throws(NetworkError) -> Response {
        // Requests of an ended session must not use the credentials of the next one.
        guard state.withLock({ $0 != .ended }) else { throw .missingCredentials("the session has ended") }
        do throws(NetworkError) {
            return try await sender.send(request)
        } catch {
            if case .service(let service) = error, isRefusal(service) { tell(service) }
            throw error
        }
    }

    /// Refuses all further requests.
    public func end() { state.withLock { $0 = .ended } }

    /// A site answers 401 only to invalid credentials. WordPress.com also says "unauthorized" when the user lacks a
    /// permission.
    private func isRefusal(_ error: ServiceError) -> Bool {
        isDirect ? error.status == 401 && error.kind == .unauthorized : error.kind == .invalidToken
    }

    private func tell(_ error: ServiceError) {
        let isFirst = state.withLock { state in
            defer { if state == .open { state = .refused } }
            return state == .open
        }
        if isFirst { onRefusal(error) }
    }
}

/// Creates all stores, those of the site and those of the till, behind one manager.
public struct StoreComposition: Sendable {
    public let storage: any StorageManagerType
    public let session: SessionManager
    public let network: any Network
    public let time: any TimeSource
    public let random: any RandomSource
    private let preferences: AppSettingsFile?
    private let features: any FeatureFlagService
    private let concurrency: @Sendable (SignIn) -> Int

    /// - Parameters:
    ///   - storage: the open database.
    ///   - session: the signed-in user.
    ///   - network: sends the requests to the site.
    ///   - preferences: the user's settings by store; nil for none.
    ///   - features: the feature flags.
    ///   - time: the clock for pauses and records.
    ///   - random: the random source for pauses between attempts.
    ///   - concurrency: the maximum number of requests in flight.
    public init(
        storage: any StorageManagerType, session: SessionManager, network: any Network, preferences: AppSettingsFile?,
        features: any FeatureFlagService, time: any TimeSource, random: any RandomSource,
        concurrency: @escaping @Sendable (SignIn) -> Int
    ) {
        (self.storage, self.session, self.network) = (storage, session, network)
        (self.preferences, self.features) = (preferences, features)
        (self.time, self.random, self.concurrency) = (time, random, concurrency)
    }

    /// Creates the manager, in the state of the session.
    ///
    /// - Parameters:
    ///   - observer: called with every action that is carried out; nil for none.
    ///   - local: creates the stores that need no site. It gets the session; nil when no user is signed in.
    /// - Returns: the manager.
    /// - Throws: ``DispatcherError/alreadyRegistered(actionType:)``
    public func manager(
        observer: (@Sendable (ActionRecord) -> Void)? = nil,
        local: @escaping @Sendable (SiteSession?) -> [any Store] = { _ in [] }
    ) throws(DispatcherError) -> StoresManager {
        let (storage, preferences) = (storage, preferences)
        let chosen: @Sendable () -> [any Store] = { preferences.map { [AppSettingsStore($0)] } ?? [] }
        let dispatcher = Dispatcher(time: time)
        if let observer { _ = dispatcher.addObserver(observer) }
        return try StoresManager(
            dispatcher: dispatcher, session: session,
            configuration: StoresManager.Configuration(
                authenticated: { signIn, onRefusal in
                    let session = siteSession(signIn, onRefusal)
                    return AuthenticatedState(
                        signIn: signIn, session: session,
                        stores: chosen() + local(session) + SiteStores.all(session.context),
                        resets: preferences == nil ? [] : AppSettingsStore.resets)
                },
                // Payments work without a store site.
                deauthenticated: { DeauthenticatedState(stores: chosen() + local(nil)) },
                disconnectReader: { dispatcher in
                    _ = try? await dispatcher.perform { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
                },
                forget: { () throws(StorageError) in try storage.reset() }, time: time))
    }

    /// Creates a client with the credentials of the signed-in user, for requests that no store makes.
    public func client(_ signIn: SignIn) -> SiteClient {
        SiteClient(
            network: network, credentials: signIn.credentials, time: time, random: random, dotcom: signIn.dotcom)
    }

    private func siteSession(
        _ signIn: SignIn, _ onRefusal: @escaping @Sendable (ServiceError) -> Void
    ) -> SiteSession {
        SiteSession(
            signIn, site: storedSite(of: signIn), network: network, storage: storage, time: time, random: random,
            features: features, concurrency: concurrency(signIn), onRefusal: onRefusal)
    }

    /// Returns the stored details of the selected store; nil when they can't be read. A store that needs the database
    /// reports the error.
    private func storedSite(of signIn: SignIn) -> Site? {
        guard let siteID = signIn.siteID else { return nil }
        return try? storage.read { try $0.model(Site.self, matching: { $0.id == siteID }) }
    }
}

/// The stores that need a store site.
public enum SiteStores {
    /// Creates all of them for one session.
    public static func all(_ context: StoreContext) -> [any Store] {
        [
            AccountStore(context), OrderStore(context), OrderNoteStore(context), OrderStatusStore(context),
            CustomerStore(context), CommentStore(context), NotificationStore(context), SettingStore(context),
            ShipmentStore(context), RefundStore(context), StatsStore(context), StatsStoreV4(context),
            TaxClassesStore(context),
        ]
    }
}
