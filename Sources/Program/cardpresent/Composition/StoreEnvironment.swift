import Determinism
import Files
import Networking
import Settings
import Simulator
import Storage
import Synchronization
import TillConfiguration
import Yosemite

/// The environment of commands that use a store: the database, the session, and the features.
struct StoreEnvironment: Sendable {
    /// Stores the session.
    let vault: SessionVault
    private let path: String
    private let settings: StoreSettings
    private let features: DefaultFeatureFlagService

    /// - Throws: `CommandFailure`
    init(data: DatabaseOptions, settings: TillConfiguration) throws(CommandFailure) {
        path = try data.path()
        self.settings = settings.store
        features = try FeatureSet.service(settings)
        guard settings.store.credentials == .file || features.isEnabled(.kernelKeyring) else {
            throw CommandFailure(
                .configuration, code: "feature_off", message: "storing credentials in the keyring is turned off",
                fix: "set store.credentials to file, or features.kernelKeyring to true")
        }
        vault = SessionVault(besides: path, settings.store)
    }

    /// Loads the session.
    ///
    /// - Throws: `CommandFailure`
    func session() throws(CommandFailure) -> SessionManager {
        do throws(SignInStorageError) { return try SessionManager(keeper: vault) } catch { throw CommandFailure(error) }
    }

    /// Opens the database.
    ///
    /// - Parameter use: What the command does with the database.
    /// - Returns: The composition.
    /// - Throws: `CommandFailure`
    func composition(for use: DatabaseUse) throws(CommandFailure) -> StoreComposition {
        // Load the session first, so that an error creates no database.
        let session = try session()
        return composition(storage: try use.open(path), session: session)
    }

    /// Opens the database for a command that needs a session. Without one, it creates no database.
    ///
    /// - Parameter use: What the command does with the database.
    /// - Returns: The composition.
    /// - Throws: `CommandFailure`
    func signedInComposition(for use: DatabaseUse) throws(CommandFailure) -> StoreComposition {
        switch use {
        case .creates, .keeps(creating: true):
            guard try session().signIn != nil else { throw .notSignedIn }
        case .reads, .changes, .keeps(creating: false): break
        }
        return try composition(for: use)
    }

    /// Creates the composition with an open database.
    func composition(storage: any StorageManagerType, session: SessionManager) -> StoreComposition {
        StoreComposition(
            storage: storage, session: session, preferences: AppSettingsFile(path: path + ".settings"),
            experiments: VariationCache(path: path + ".experiments"), features: features, settings)
    }
}

extension StoreComposition {
    /// - Parameters:
    ///   - storage: The open database.
    ///   - session: The session.
    ///   - preferences: The preferences of each store.
    ///   - experiments: The variations assigned to this till.
    ///   - features: The feature flags.
    ///   - settings: The connection settings of the store.
    init(
        storage: any StorageManagerType, session: SessionManager, preferences: AppSettingsFile,
        experiments: VariationCache, features: any FeatureFlagService, _ settings: StoreSettings
    ) {
        // Requests go to other machines, so time and retry delays are real even in a repeatable run.
        self.init(
            storage: storage, session: session, network: OnDemandNetwork(CurlConfiguration(settings)),
            preferences: preferences, features: features, time: OutsideTimeSource(), random: SystemRandomSource()
        ) { signIn in
            settings.connections ?? experiments.concurrency(for: signIn)
        }
    }

    /// Creates the manager; see ``manager(observer:local:)``.
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
    /// The default number of parallel requests.
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

/// Stores the session of a database in the configured place.
struct SessionVault: SignInStorage {
    private let vault: any Vault

    /// - Parameters:
    ///   - database: The path of the database.
    ///   - settings: The settings of the credential storage.
    init(besides database: String, _ settings: StoreSettings) {
        vault =
            switch settings.credentials {
            case .file: FileVault(path: database + ".credentials")
            case .keyring: KeyringVault(name: database)
            }
    }

    func load() throws(SignInStorageError) -> SignIn? {
        do throws(VaultError) { return try vault.load() } catch { throw SignInStorageError(error.description) }
    }

    func save(_ signIn: SignIn) throws(SignInStorageError) {
        do throws(VaultError) { try vault.save(signIn) } catch { throw SignInStorageError(error.description) }
    }

    func forget() throws(SignInStorageError) {
        do throws(VaultError) { try vault.clear() } catch { throw SignInStorageError(error.description) }
    }
}

/// A network that loads libcurl with the first request, because loading takes milliseconds and most commands send none.
final class OnDemandNetwork: Network {
    private let configuration: CurlConfiguration
    private let opened = Mutex<CurlNetwork?>(nil)

    init(_ configuration: CurlConfiguration) { self.configuration = configuration }

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let result = opened.withLock { opened -> Result<CurlNetwork, NetworkError> in
            if let opened { return .success(opened) }
            do throws(NetworkError) {
                let network = try CurlNetwork(configuration: configuration)
                opened = network
                return .success(network)
            } catch {
                return .failure(error)
            }
        }
        let network = try result.get()
        let time = SystemTimeSource()
        let began = time.reading()
        // With the path of the request, its route, and its outcome, but neither parameters nor credentials.
        func tell(_ outcome: some CustomStringConvertible) {
            StandardError.detail("\(request): \(outcome), \(Int((time.reading() - began) / .milliseconds(1))) ms")
        }
        do throws(NetworkError) {
            // The server is real, even when the reader is simulated.
            let response = try await RunQueue.outside { () async throws(NetworkError) in
                try await Waiting.on("Waiting for \(request.address.origin.host)") { () async throws(NetworkError) in
                    try await network.response(for: request)
                }
            }
            tell(response)
            return response
        } catch {
            tell(error)
            throw error
        }
    }
}
