internal import Determinism
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
    private let time: any TimeSource = SystemTimeSource()
    private let random: any RandomSource = SystemRandomSource()

    /// - Parameters:
    ///   - storage: the open records.
    ///   - session: who is signed in.
    ///   - settings: say how the store is reached.
    init(storage: any StorageManagerType, session: SessionManager, _ settings: StoreSettings) {
        (self.storage, self.session) = (storage, session)
        network = OnDemandNetwork(CurlConfiguration(settings))
    }

    /// Makes the manager, in the state that the session asks for.
    ///
    /// - Parameters:
    ///   - local: makes the stores that need no site. They are given what the stores of the site work with; nil when
    ///     nobody is signed in.
    /// - Throws: `CommandFailure`
    func manager(
        local: @escaping @Sendable (StoreContext?) -> [any Store] = { _ in [] }
    ) throws(CommandFailure) -> StoresManager {
        let (network, storage, time, random) = (network, storage, time, random)
        do throws(DispatcherError) {
            return try StoresManager(
                dispatcher: Dispatcher(time: time), session: session,
                configuration: StoresManager.Configuration(
                    authenticated: { signIn, onRefusal in
                        let session = SiteSession(
                            signIn, network: network, storage: storage, time: time, random: random,
                            onRefusal: onRefusal)
                        return AuthenticatedState(
                            signIn: signIn, session: session,
                            stores: local(session.context) + SiteStores.all(session.context))
                    },
                    // Taking payments needs no store site.
                    deauthenticated: { DeauthenticatedState(stores: local(nil)) },
                    disconnectReader: { dispatcher in
                        _ =
                            try? await dispatcher.perform { CardPresentPaymentsAction.reset(onCompletion: $0) }
                            as Void
                    }))
        } catch {
            throw CommandFailure(.internalError, code: "internal", message: error.description)
        }
    }
}

extension CurlConfiguration {
    init(_ settings: StoreSettings) {
        self.init(
            authorities: settings.authorities, connectTimeout: settings.connectTimeout,
            connectionsPerHost: settings.connections)
    }
}
