internal import Determinism
internal import Experiments
internal import Hardware
internal import Networking
internal import Storage
internal import Yosemite

extension StoreComposition {
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
        // Requests go to other machines, so their time is real and their pauses are drawn anew in a repeatable run, too.
        self.init(
            storage: storage, session: session, network: OnDemandNetwork(CurlConfiguration(settings)),
            preferences: preferences, features: features, time: SystemTimeSource(), random: SystemRandomSource()
        ) { signIn in
            settings.connections ?? experiments.concurrency(for: signIn)
        }
    }

    /// Makes the manager; see ``manager(observer:local:)``.
    ///
    /// - Throws: `CommandFailure`
    func stores(
        local: @escaping @Sendable (SiteSession?) -> [any Store] = { _ in [] }
    ) throws(CommandFailure) -> StoresManager {
        do throws(DispatcherError) { return try manager(local: local) } catch {
            throw CommandFailure(.internalError, code: "internal", message: error.description)
        }
    }
}

extension VariationCache {
    /// How many requests are on their way at the same time, where the configuration does not say it.
    fileprivate func concurrency(for signIn: SignIn) -> Int {
        do throws(VariationCacheError) {
            let service = ABTestService(identity: signIn.description, cache: self)
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
