internal import Experiments
internal import Hardware
internal import Storage
internal import Yosemite

/// What is behind every command that needs a store or a session: the records, who is signed in, which features are on.
struct ShopDoor: Sendable {
    /// Keeps who is signed in.
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
                .configuration, code: "feature_off", message: "this program does not keep credentials in the keyring",
                fix: "set store.credentials to file, or features.kernelKeyring to true")
        }
        vault = SessionVault(besides: path, settings.store)
    }

    /// Who is signed in.
    ///
    /// - Throws: `CommandFailure`
    func session() throws(CommandFailure) -> SessionManager {
        do throws(SignInKeepingError) { return try SessionManager(keeper: vault) } catch { throw CommandFailure(error) }
    }

    /// Opens the records.
    ///
    /// - Throws: `CommandFailure`
    func composition() throws(CommandFailure) -> StoreComposition {
        // First who is signed in: where nobody can be, no records need to be made.
        let session = try session()
        do throws(StorageError) {
            return composition(storage: try SQLiteStorageManager(path: path), session: session)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The same with records that are open.
    func composition(storage: any StorageManagerType, session: SessionManager) -> StoreComposition {
        StoreComposition(
            storage: storage, session: session, preferences: AppSettingsFile(path: path + ".settings"),
            experiments: VariationCache(path: path + ".experiments"), features: features, settings)
    }
}
