import Determinism
import Files
import Money
import Networking
import Synchronization
import TillConfiguration
import Yosemite

/// The store that the user is signed in to.
struct Shop: Sendable {
    let stores: StoresManager
    /// The site ID of the store.
    let siteID: Int64

    /// - Throws: `CommandFailure` when not signed in or without a current store.
    init(stores: StoresManager) throws(CommandFailure) {
        guard stores.isAuthenticated else { throw .notSignedIn }
        guard let siteID = stores.siteID else {
            throw CommandFailure(
                .configuration, code: "no_store", message: "no store is chosen",
                fix: "list the stores with 'cardpresent sites', and choose one with 'cardpresent sites use ID'")
        }
        (self.stores, self.siteID) = (stores, siteID)
    }

    /// Dispatches an action and waits for its result.
    ///
    /// - Throws: `CommandFailure`
    func value<Value: Sendable>(
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws(CommandFailure) -> Value {
        try await stores.value(makeAction)
    }

    /// Dispatches an action that fetches a list. Reports the elements that could not be decoded on stderr.
    ///
    /// - Returns: The decoded elements.
    /// - Throws: `CommandFailure`
    func elements<Element: Sendable>(
        _ makeAction: (@escaping @Sendable (Result<ElementList<Element>, StoreError>) -> Void) -> any Action
    ) async throws(CommandFailure) -> [Element] {
        let list = try await value(makeAction)
        Rejections.tell(list.rejected)
        return list.elements
    }
}

extension Shop {
    /// Checks that the user is signed in with a WordPress.com account.
    ///
    /// - Throws: `CommandFailure`
    func requireAccount() throws(CommandFailure) {
        guard stores.isAuthenticatedWithoutDotcom else { return }
        throw CommandFailure(
            .configuration, code: "needs_account",
            message: "this requires a WordPress.com account, but you are signed in to the site directly",
            fix: "sign in with 'cardpresent login --token-file FILE'")
    }
}

extension Shop {
    /// Dispatches an action that changes something at the store. If the result is unknown, the failure has `advice` as
    /// its fix.
    ///
    /// - Throws: `CommandFailure`
    func change<Value: Sendable>(
        advice: String, _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws(CommandFailure) -> Value {
        let doubt = Mutex<NetworkError?>(nil)
        do throws(CommandFailure) {
            return try await value { onCompletion in
                makeAction { result in
                    if case .failure(.network(let error)) = result, error.mayHaveTakenEffect {
                        doubt.withLock { $0 = error }
                    }
                    onCompletion(result)
                }
            }
        } catch {
            guard let doubt = doubt.withLock({ $0 }) else { throw error }
            throw CommandFailure(
                .outcomeUnknown, code: "outcome_unknown", message: doubt.description, fix: advice)
        }
    }

    /// Loads a stored order.
    ///
    /// - Throws: `CommandFailure`, with the order of the same number as the fix.
    func storedOrder(_ name: OrderName) async throws(CommandFailure) -> Order {
        do throws(CommandFailure) {
            return try await value { OrderAction.loadOrder(siteID: siteID, orderID: name.id, onCompletion: $0) }
        } catch {
            guard error.code == "not_found" else { throw error }
            throw try await unknownOrder(name)
        }
    }

    /// Fetches an order from the store and saves it.
    ///
    /// - Throws: `CommandFailure`
    func refreshedOrder(_ name: OrderName) async throws(CommandFailure) -> Order {
        do throws(CommandFailure) {
            return try await value { OrderAction.retrieveOrder(siteID: siteID, orderID: name.id, onCompletion: $0) }
        } catch {
            throw error.code == "not_found" ? CommandFailure(noOrder: name) : error
        }
    }

    /// Returns the failure for an unknown ID, which may be the order number that the customer sees.
    private func unknownOrder(_ name: OrderName) async throws(CommandFailure) -> CommandFailure {
        let query = OrderQuery(text: String(name.id), limit: 20)
        let similar: StoredOrders = try await value {
            OrderAction.loadOrders(siteID: siteID, query: query, onCompletion: $0)
        }
        let meant = similar.orders.first { $0.number == String(name.id) }
        return CommandFailure(
            .badData, code: "unknown_order", message: "order \(name.id) is not stored here",
            fix: meant.map { "the order with the number \(name.id) has the ID \($0.id)" }
                ?? "run 'cardpresent orders sync' to sync all orders, or "
                + "'cardpresent orders show \(name.id) --refresh' for this one")
    }
}

extension CommandFailure {
    /// Creates the failure for an order that the store does not have.
    init(noOrder name: OrderName) {
        self.init(
            .badData, code: "unknown_order", message: "the store has no order \(name.id)",
            fix: "list the orders with 'cardpresent orders sync' and 'cardpresent orders list'")
    }
}

/// A failure of an action that needs no site, but may use one.
protocol TillFailure: Error {
    /// Whether the site is the reason.
    var isOfSite: Bool { get }
    var commandFailure: CommandFailure { get }
}

extension CardPresentPaymentsError: TillFailure {
    var isOfSite: Bool { if case .site = self { true } else { false } }
    var commandFailure: CommandFailure { CommandFailure(self) }
}

extension ReceiptStoreError: TillFailure {
    var isOfSite: Bool { if case .site = self { true } else { false } }
    var commandFailure: CommandFailure { CommandFailure(self) }
}

extension StoresManager {
    /// Dispatches an action of payments or of receipts and waits for its result.
    func value<Value: Sendable, Failure: TillFailure>(
        _ makeAction: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> any Action
    ) async throws(CommandFailure) -> Value {
        do throws(ActionFailure<Failure>) {
            return try await perform(makeAction)
        } catch {
            guard case .failed(let error) = error else {
                throw CommandFailure(.internalError, code: "internal", message: error.description)
            }
            if error.isOfSite { try await checkSession() }
            throw error.commandFailure
        }
    }

    /// Waits until a session whose credentials are refused has ended, which happens asynchronously.
    ///
    /// - Throws: `CommandFailure` when the site has refused the credentials.
    private func checkSession() async throws(CommandFailure) {
        await waitUntilIdle()
        if case .refused(let reason) = lastEnd { throw CommandFailure(refused: reason) }
    }
}

extension StoresManager {
    /// Dispatches an action of a site's store and waits for its result. If the site rejects the credentials, the
    /// session has ended before this throws.
    func value<Value: Sendable>(
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws(CommandFailure) -> Value {
        do throws(ActionFailure<StoreError>) {
            return try await perform { makeAction($0) }
        } catch {
            try await checkSession()
            switch error {
            case .failed(let error): throw CommandFailure(error)
            case .notDispatched(.notSignedIn): throw .notSignedIn
            case .notDispatched, .neverCompleted:
                throw CommandFailure(.internalError, code: "internal", message: error.description)
            }
        }
    }
}

/// The local time of a store's site.
enum SiteClock {
    private static let folder = "/usr/share/zoneinfo"

    /// Returns the time zone of the current store, as reported by its site.
    ///
    /// - Throws: `CommandFailure`
    static func rules(at shop: Shop) async throws(CommandFailure) -> TimeZoneRules {
        let site: Site = try await shop.value {
            AccountAction.loadAndSynchronizeSite(siteID: shop.siteID, forcedUpdate: false, onCompletion: $0)
        }
        return rules(of: site.options)
    }

    /// Returns the site's time zone by name if this machine knows it, otherwise by the reported offset, otherwise this
    /// machine's current offset.
    static func rules(of options: SiteOptions, time: any TimeSource = SystemTimeSource()) -> TimeZoneRules {
        if let rules = named(options.timezone) { return rules }
        if let hours = options.gmtOffset, let seconds = seconds(hours) { return TimeZoneRules(offsetSeconds: seconds) }
        return TimeZoneRules(offsetSeconds: time.offsetSeconds(at: time.now()))
    }

    /// Returns whether the name, which comes from the site, is a safe path of a time zone.
    private static func named(_ name: String) -> TimeZoneRules? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            part.utf8.first.map { (0x41...0x5A).contains($0) } == true
                && part.utf8.allSatisfy { byte in
                    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                        || [UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+")].contains(byte)
                }
        }
        guard isName, let bytes = try? Files.contents("\(folder)/\(name)", atMost: 1 << 17) else { return nil }
        return TimeZoneRules(file: bytes)
    }

    /// Returns the offset in seconds. Some offsets have half and quarter hours.
    private static func seconds(_ hours: ExactDecimal) -> Int? {
        guard hours.scale <= 4, hours.coefficient.magnitude <= 1_000_000 else { return nil }
        var scaled = Int(hours.coefficient) * 3600
        for _ in 0..<hours.scale { scaled /= 10 }
        return (-86_400...86_400).contains(scaled) ? scaled : nil
    }
}
