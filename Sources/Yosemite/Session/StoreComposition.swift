public import Determinism
public import Experiments
public import Networking
public import Storage

/// Puts all stores together, those of the site and those of the till, behind one manager.
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
    ///   - storage: the open records.
    ///   - session: who is signed in.
    ///   - network: carries the requests to the site.
    ///   - preferences: what somebody chose, store by store; nil where nobody chooses anything.
    ///   - features: knows which features are on.
    ///   - time: what pauses between requests are counted by, and records dated.
    ///   - random: for these pauses.
    ///   - concurrency: how many requests are on their way at the same time, where several may be.
    public init(
        storage: any StorageManagerType, session: SessionManager, network: any Network, preferences: AppSettingsFile?,
        features: any FeatureFlagService, time: any TimeSource, random: any RandomSource,
        concurrency: @escaping @Sendable (SignIn) -> Int
    ) {
        (self.storage, self.session, self.network) = (storage, session, network)
        (self.preferences, self.features) = (preferences, features)
        (self.time, self.random, self.concurrency) = (time, random, concurrency)
    }

    /// Makes the manager, in the state that the session asks for.
    ///
    /// - Parameters:
    ///   - observer: told of every action that is carried out; nil when nobody is.
    ///   - local: makes the stores that need no site. They are given the session, of which they may make use; nil when
    ///     nobody is signed in.
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
                // Taking payments needs no store site.
                deauthenticated: { DeauthenticatedState(stores: chosen() + local(nil)) },
                disconnectReader: { dispatcher in
                    _ = try? await dispatcher.perform { CardPresentPaymentsAction.reset(onCompletion: $0) } as Void
                },
                forget: { () throws(StorageError) in try storage.reset() }, time: time))
    }

    /// Sends in the name of whoever is signed in, for what no store does.
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

    /// What was kept of the store that is chosen; nil when it cannot be read, which whoever needs the records is told.
    private func storedSite(of signIn: SignIn) -> Site? {
        guard let siteID = signIn.siteID else { return nil }
        return try? storage.read { try $0.model(Site.self, matching: { $0.id == siteID }) }
    }
}
