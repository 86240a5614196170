internal import Hardware
internal import Networking
internal import Storage
internal import Yosemite

/// The store that somebody is signed in to, for a command that works with it.
struct Shop: Sendable {
    let stores: StoresManager
    /// The store that is worked with.
    let siteID: Int64

    /// Opens the records and the session, which must be one with a store chosen.
    ///
    /// - Throws: `CommandFailure`
    static func open(
        data: DatabaseOptions, configuration: ConfigurationOptions
    ) async throws(CommandFailure) -> Shop {
        try await open(data: data, settings: try configuration.load())
    }

    /// The same with a configuration that is loaded.
    ///
    /// - Throws: `CommandFailure`
    static func open(data: DatabaseOptions, settings: TillConfiguration) async throws(CommandFailure) -> Shop {
        try Shop(stores: try ShopDoor(data: data, settings: settings).composition().manager())
    }

    /// - Throws: `CommandFailure` when nobody is signed in or no store is chosen.
    init(stores: StoresManager) throws(CommandFailure) {
        guard stores.isAuthenticated else { throw .notSignedIn }
        guard let siteID = stores.siteID else {
            throw CommandFailure(
                .configuration, code: "no_store", message: "no store is chosen",
                fix: "'cardpresent sites' lists them, and 'cardpresent sites use ID' chooses one")
        }
        (self.stores, self.siteID) = (stores, siteID)
    }

    /// Dispatches an action and waits for its result, with its error as a command tells it.
    ///
    /// - Throws: `CommandFailure`
    func value<Value: Sendable>(
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws(CommandFailure) -> Value {
        try await stores.value(makeAction)
    }
}

/// What is behind every command that needs a store or a session: the records, and who is signed in.
struct ShopDoor: Sendable {
    /// The file of the records.
    let path: String
    let vault: SessionVault
    private let settings: StoreSettings

    /// - Throws: `CommandFailure`
    init(data: DatabaseOptions, settings: TillConfiguration) throws(CommandFailure) {
        path = try data.path()
        self.settings = settings.store
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
        // First who is signed in: where nobody is, no records need to be made.
        let session = try session()
        do throws(StorageError) {
            return StoreComposition(storage: try SQLiteStorageManager(path: path), session: session, settings)
        } catch {
            throw CommandFailure(error)
        }
    }
}
