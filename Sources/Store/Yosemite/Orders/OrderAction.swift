public import Determinism
public import Money
public import Networking

/// The actions of ``OrderStore``. Every completion is called exactly once.
///
/// Drafts of the shop's own pages (`auto-draft`) are returned and never stored.
public enum OrderAction: Action {
    // MARK: Reading from the site

    /// Searches the orders of a site. The orders and the search result are stored.
    case searchOrders(
        siteID: Int64, keyword: String, page: PageRequest = PageRequest(), onCompletion: Completion<Page<Order>>)
    /// Fetches the first page of the orders that match a filter, with the time it took.
    case fetchFilteredOrders(
        siteID: Int64, filter: OrderFilter, writeStrategy: OrdersWriteStrategy, size: Int = 25,
        onCompletion: Completion<FetchedOrders>)
    /// Fetches one page of the orders that match a filter. Newer stored orders are not replaced.
    case synchronizeOrders(
        siteID: Int64, filter: OrderFilter = OrderFilter(), page: PageRequest = PageRequest(),
        onCompletion: Completion<Page<Order>>)
    /// Fetches all pages of the orders that match a filter, 100 orders each, saved page by page, as one command.
    ///
    /// Without a filter it fetches only changes since the last synchronization, if there was one. `isFull` fetches
    /// everything and deletes stored orders that the site no longer has. A caller that joins a running synchronization
    /// gets no progress.
    case synchronizeAllOrders(
        siteID: Int64, filter: OrderFilter = OrderFilter(), isFull: Bool = false, pageLimit: Int? = nil,
        onProgress: @Sendable (SynchronizationProgress) -> Void = { _ in },
        onCompletion: Completion<SynchronizationReport>)
    /// Cancels the synchronizations of a site's orders; they complete with ``StoreError/canceled``. Saved orders stay.
    case cancelSynchronization(siteID: Int64)
    /// Returns the stored order if it is as new as the site's, otherwise the site's. An order that the site doesn't
    /// have is deleted here.
    case retrieveOrder(siteID: Int64, orderID: Int64, onCompletion: Completion<Order>)
    /// Fetches the site's order, whatever is stored.
    case retrieveOrderRemotely(siteID: Int64, orderID: Int64, onCompletion: Completion<Order>)
    /// Returns whether there is any order, here or at the site.
    case checkIfStoreHasOrders(siteID: Int64, onCompletion: Completion<Bool>)

    // MARK: Reading what is stored

    /// Loads stored orders, newest first.
    case loadOrders(siteID: Int64, query: OrderQuery = OrderQuery(), onCompletion: Completion<StoredOrders>)
    /// Loads a stored order. Fails with ``StoreError/notFound(entity:id:)`` when it is not stored.
    case loadOrder(siteID: Int64, orderID: Int64, onCompletion: Completion<Order>)
    /// Loads the stored orders of the last ``searchOrders(siteID:keyword:page:onCompletion:)``, in its order.
    case loadSearchResults(siteID: Int64, keyword: String, onCompletion: Completion<[Order]>)
    /// Returns a stream of the orders that are new in the database, those of one transaction together.
    case observeInsertedOrders(siteID: Int64, onCompletion: @Sendable (AsyncStream<[Order]>) -> Void)

    // MARK: Changing

    /// Sets the status here at once, and reverts it when the site refuses it. If the outcome at the site is unknown,
    /// the site's order is fetched and stored.
    case updateOrderStatus(siteID: Int64, orderID: Int64, status: OrderStatusEnum, onCompletion: Completion<Order>)
    /// Sends the given fields of an order, and stores the site's order.
    case updateOrder(
        order: Order, giftCard: String? = nil, fields: Set<OrderUpdateField>, onCompletion: Completion<Order>)
    /// Sends the given fields of an order, and sets them here at once as in
    /// ``updateOrderStatus(siteID:orderID:status:onCompletion:)``.
    case updateOrderOptimistically(order: Order, fields: Set<OrderUpdateField>, onCompletion: Completion<Order>)
    /// Creates an order. `key` is stored in its metadata and must be unique: when the response is lost, the site's
    /// newest orders are searched for it before a failure is reported.
    case createOrder(
        siteID: Int64, order: OrderChanges, key: OrderCreationKey, onCompletion: Completion<Order>)
    /// Creates an order with one fee: an amount without products.
    case createSimplePaymentsOrder(
        siteID: Int64, status: OrderStatusEnum, amount: ExactDecimal, isTaxed: Bool, key: OrderCreationKey,
        onCompletion: Completion<Order>)
    /// Changes the fee of such an order, and the e-mail address for its receipt.
    case updateSimplePaymentsOrder(
        siteID: Int64, orderID: Int64, feeID: Int64, status: OrderStatusEnum, amount: ExactDecimal,
        amountName: String? = nil, isTaxed: Bool, orderNote: String? = nil, email: String? = nil,
        onCompletion: Completion<Order>)
    /// Marks an order as paid here; the site is not contacted.
    case markOrderAsPaidLocally(siteID: Int64, orderID: Int64, datePaid: Timestamp, onCompletion: Completion<Order>)
    /// Hides the order at once and deletes it at the site: permanently, or to the trash. If the site refuses, the order
    /// and its notes are restored.
    case deleteOrder(siteID: Int64, orderID: Int64, isPermanent: Bool, onCompletion: Completion<Void>)
    /// Deletes the stored orders of a site, or of all sites if nil, with their notes.
    case resetStoredOrders(siteID: Int64?, onCompletion: Completion<Void>)

    public var redactedDescription: [String: String] {
        switch self {
        case .searchOrders(let siteID, _, let page, _):
            ["site": String(siteID), "page": String(page.number)]
        case .fetchFilteredOrders(let siteID, _, let strategy, let size, _):
            ["site": String(siteID), "strategy": strategy.rawValue, "size": String(size)]
        case .synchronizeOrders(let siteID, _, let page, _):
            ["site": String(siteID), "page": String(page.number)]
        case .synchronizeAllOrders(let siteID, _, let isFull, let limit, _, _):
            ["site": String(siteID), "full": String(isFull), "pages": limit.map(String.init) ?? "all"]
        case .cancelSynchronization(let siteID), .checkIfStoreHasOrders(let siteID, _), .loadOrders(let siteID, _, _),
            .loadSearchResults(let siteID, _, _), .observeInsertedOrders(let siteID, _),
            .createOrder(let siteID, _, _, _),
            .createSimplePaymentsOrder(let siteID, _, _, _, _, _):
            ["site": String(siteID)]
        case .retrieveOrder(let siteID, let orderID, _), .retrieveOrderRemotely(let siteID, let orderID, _),
            .loadOrder(let siteID, let orderID, _), .markOrderAsPaidLocally(let siteID, let orderID, _, _),
            .updateSimplePaymentsOrder(let siteID, let orderID, _, _, _, _, _, _, _, _):
            ["site": String(siteID), "order": String(orderID)]
        case .updateOrderStatus(let siteID, let orderID, let status, _):
            ["site": String(siteID), "order": String(orderID), "status": status.rawValue]
        case .updateOrder(let order, _, let fields, _), .updateOrderOptimistically(let order, let fields, _):
            [
                "site": String(order.siteID), "order": String(order.id),
                "fields": fields.map(\.rawValue).sorted().joined(separator: " "),
            ]
        case .deleteOrder(let siteID, let orderID, let isPermanent, _):
            ["site": String(siteID), "order": String(orderID), "permanent": String(isPermanent)]
        case .resetStoredOrders(let siteID, _): ["site": siteID.map(String.init) ?? "all"]
        }
    }
}

/// A filter for stored orders. Nil properties match everything.
public struct OrderQuery: Hashable, Sendable {
    public var statuses: [OrderStatusEnum]?
    /// Created at this time or later.
    public var since: Timestamp?
    public var customerID: Int64?
    /// Part of the number, or of the billing name, company or e-mail address, in any letter case.
    public var text: String?
    public var limit: Int?

    /// Combines conditions: all that are not nil must hold. `limit` is the largest number of orders.
    public init(
        statuses: [OrderStatusEnum]? = nil, since: Timestamp? = nil, customerID: Int64? = nil, text: String? = nil,
        limit: Int? = nil
    ) {
        (self.statuses, self.since, self.customerID) = (statuses, since, customerID)
        (self.text, self.limit) = (text, limit)
    }
}

/// Stored orders, and the time of the last synchronization.
public struct StoredOrders: Hashable, Sendable {
    /// Newest first.
    public let orders: [Order]
    /// The number of orders that match the query, without its limit.
    public let count: Int
    /// The end of the last synchronization of all orders of the site; nil for none.
    public let synchronizedAt: Timestamp?
}

/// The orders that a site returned, and the time it took.
public struct FetchedOrders: Sendable, Equatable {
    public let page: Page<Order>
    public let elapsed: Duration

    /// Takes a page of orders and the time that the request for it took.
    public init(page: Page<Order>, elapsed: Duration) { (self.page, self.elapsed) = (page, elapsed) }
}

/// The way in which fetched orders are stored.
public enum OrdersWriteStrategy: String, Hashable, Sendable, Codable, CaseIterable {
    /// They are saved beside the stored orders.
    case save
    /// They replace all stored orders of the site, in one transaction.
    case deleteAllBeforeSaving
    /// They are not stored.
    case doNotSave
}
