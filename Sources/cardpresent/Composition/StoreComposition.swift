internal import Determinism
internal import Experiments
internal import Hardware
internal import Networking
internal import Storage
internal import Yosemite

/// Puts all stores together, those of the site and those of the till, behind one manager.
struct StoreComposition: Sendable {
    let storage: any StorageManagerType
    let session: SessionManager
    let network: any Network
    /// Requests go to other machines, so their time is real and their pauses are drawn anew in a repeatable run, too.
    let time: any TimeSource = SystemTimeSource()
    let random: any RandomSource = SystemRandomSource()
    private let preferences: AppSettingsFile
    private let experiments: VariationCache
    private let features: any FeatureFlagService
    private let settings: StoreSettings

    /// - Parameters:
    ///   - storage: the open records.
    ///   - session: who is signed in.
    ///   - preferences: what somebody chose, store by store.
    ///   - experiments: what experiments gave this till.
    ///   - features: knows which features are on.
    ///   - settings: say how the store is reached.
    init(
        storage: any StorageManagerType, session: SessionManager, preferences: AppSettingsFile,
        experiments: VariationCache, features: any FeatureFlagService, _ settings: StoreSettings
    ) {
        (self.storage, self.session, self.preferences) = (storage, session, preferences)
        (self.experiments, self.features, self.settings) = (experiments, features, settings)
        network = OnDemandNetwork(CurlConfiguration(settings))
    }

    /// Makes the manager, in the state that the session asks for.
    ///
    /// - Parameter local: makes the stores that need no site. They are given the session, of which they may make use; nil
    ///   when nobody is signed in.
    /// - Returns: the manager.
    /// - Throws: `CommandFailure`
    func manager(
        local: @escaping @Sendable (SiteSession?) -> [any Store] = { _ in [] }
    ) throws(CommandFailure) -> StoresManager {
        let storage = storage
        do throws(DispatcherError) {
            return try StoresManager(
                dispatcher: Dispatcher(time: time), session: session,
                configuration: StoresManager.Configuration(
                    authenticated: { signIn, onRefusal in
                        let session = siteSession(signIn, onRefusal)
                        return AuthenticatedState(
                            signIn: signIn, session: session,
                            stores: [AppSettingsStore(preferences)] + local(session) + SiteStores.all(session.context),
                            resets: AppSettingsStore.resets)
                    },
                    // Taking payments needs no store site.
                    deauthenticated: { DeauthenticatedState(stores: [AppSettingsStore(preferences)] + local(nil)) },
                    disconnectReader: { dispatcher in
                        _ =
                            try? await dispatcher.perform { CardPresentPaymentsAction.reset(onCompletion: $0) }
                            as Void
                    },
                    forget: { () throws(StorageError) in try storage.reset() }))
        } catch {
            throw CommandFailure(.internalError, code: "internal", message: error.description)
        }
    }

    /// Sends in the name of whoever is signed in, for what no store does.
    func client(_ signIn: SignIn) -> SiteClient {
        SiteClient(
            network: network, credentials: signIn.credentials, time: time, random: random, dotcom: signIn.dotcom)
    }

    private func siteSession(
        _ signIn: SignIn, _ onRefusal: @escaping @Sendable (ServiceError) -> Void
    ) -> SiteSession {
        SiteSession(
            signIn, site: storedSite(of: signIn), network: network, storage: storage, time: time, random: random,
            features: features, concurrency: settings.connections ?? concurrency(for: signIn), onRefusal: onRefusal)
    }

    /// What was kept of the store that is chosen; nil when it cannot be read, which whoever needs the records is told.
    private func storedSite(of signIn: SignIn) -> Site? {
        guard let siteID = signIn.siteID else { return nil }
        return try? storage.read { try $0.model(Site.self, matching: { $0.id == siteID }) }
    }

    /// How many requests are on their way at the same time, where the configuration does not say it.
    private func concurrency(for signIn: SignIn) -> Int {
        do throws(VariationCacheError) {
            let service = ABTestService(identity: signIn.description, cache: experiments)
            return try service.variation(of: .requestConcurrency) == .treatment ? 8 : 4
        } catch {
            StandardError.write("cardpresent: \(error.description)\n")
            return 4
        }
    }
}

extension CurlConfiguration {
    init(_ settings: StoreSettings) {
        self.init(
            authorities: settings.authorities, connectTimeout: settings.connectTimeout,
            connectionsPerHost: settings.connections ?? 8)
    }
}
