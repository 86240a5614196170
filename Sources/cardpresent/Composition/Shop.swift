internal import Hardware
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
        try Shop(stores: try ShopDoor(data: data, settings: settings).composition().stores())
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
