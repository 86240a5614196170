public import Amounts
public import Determinism
public import Networking

/// What ``OrderStore`` does. Every completion is called exactly once.
///
/// Orders that are being written in the shop's own pages (`auto-draft`) are handed out and never stored.
public enum OrderAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    // MARK: Reading from the site

    /// Orders in which the site finds a text. They are stored, and so is which ones were found.
    case searchOrders(
        siteID: Int64, keyword: String, page: PageRequest = PageRequest(), onCompletion: Completion<Page<Order>>)
    /// The first page of what a filter lets through, with how long it took.
    case fetchFilteredOrders(
        siteID: Int64, filter: OrderFilter, writeStrategy: OrdersWriteStrategy, size: Int = 25,
        onCompletion: Completion<FetchedOrders>)
    /// One page of what a filter lets through. Stored orders that are newer stay as they are.
    case synchronizeOrders(
        siteID: Int64, filter: OrderFilter = OrderFilter(), page: PageRequest = PageRequest(),
        onCompletion: Completion<Page<Order>>)
    /// All pages of what a filter lets through, 100 orders each, saved page by page, as one command.
    ///
    /// Without a filter only what has changed since the last time is read, if there was one. `isFull` reads everything
    /// and forgets what the site has no more. Whoever joins one that runs already hears nothing of its progress.
    case synchronizeAllOrders(
        siteID: Int64, filter: OrderFilter = OrderFilter(), isFull: Bool = false, pageLimit: Int? = nil,
        onProgress: @Sendable (SynchronizationProgress) -> Void = { _ in },
        onCompletion: Completion<SynchronizationReport>)
    /// Ends the synchronisations of a site's orders; they complete with ``StoreError/cancelled``. What was saved stays.
    case cancelSynchronization(siteID: Int64)
    /// The stored order if it is as new as the site's, else the site's. One that the site does not know is forgotten.
    case retrieveOrder(siteID: Int64, orderID: Int64, onCompletion: Completion<Order>)
    /// The site's order, whatever is stored.
    case retrieveOrderRemotely(siteID: Int64, orderID: Int64, onCompletion: Completion<Order>)
    /// Whether there is any order, here or at the site.
    case checkIfStoreHasOrders(siteID: Int64, onCompletion: Completion<Bool>)

    // MARK: Reading what is stored

    /// Stored orders, newest first.
    case loadOrders(siteID: Int64, query: OrderQuery = OrderQuery(), onCompletion: Completion<StoredOrders>)
    /// A stored order. Fails with ``StoreError/notFound(entity:id:)`` when it is not.
    case loadOrder(siteID: Int64, orderID: Int64, onCompletion: Completion<Order>)
    /// The stored orders that ``searchOrders(siteID:keyword:page:onCompletion:)`` found last, in its order.
    case loadSearchResults(siteID: Int64, keyword: String, onCompletion: Completion<[Order]>)
    /// Hands out a stream of the orders that are new in the database, those of one transaction together.
    case observeInsertedOrders(siteID: Int64, onCompletion: @Sendable (AsyncStream<[Order]>) -> Void)

    // MARK: Changing

    /// Shows the status at once, and takes it back exactly when the site refuses it. When nobody knows whether the site
    /// took it, the site is asked and what it says is stored.
    case updateOrderStatus(siteID: Int64, orderID: Int64, status: OrderStatusEnum, onCompletion: Completion<Order>)
    /// Sends the chosen fields of an order, and stores what the site makes of them.
    case updateOrder(
        order: Order, giftCard: String? = nil, fields: Set<OrderUpdateField>, onCompletion: Completion<Order>)
    /// The same, with the fields shown at once as in ``updateOrderStatus(siteID:orderID:status:onCompletion:)``.
    case updateOrderOptimistically(order: Order, fields: Set<OrderUpdateField>, onCompletion: Completion<Order>)
    /// Creates an order. `key` is kept with it in its metadata and has to be different for every order that is wanted:
    /// when the answer is lost, the site's newest orders are searched for it before a failure is told.
    case createOrder(
        siteID: Int64, order: OrderChanges, key: OrderCreationKey, onCompletion: Completion<Order>)
    /// Creates an order with one fee: an amount without goods.
    case createSimplePaymentsOrder(
        siteID: Int64, status: OrderStatusEnum, amount: ExactDecimal, isTaxed: Bool, key: OrderCreationKey,
        onCompletion: Completion<Order>)
    /// Changes the fee of such an order, and who gets its receipt.
    case updateSimplePaymentsOrder(
        siteID: Int64, orderID: Int64, feeID: Int64, status: OrderStatusEnum, amount: ExactDecimal,
        amountName: String? = nil, isTaxed: Bool, orderNote: String? = nil, email: String? = nil,
        onCompletion: Completion<Order>)
    /// Notes here that an order was paid; the site hears nothing.
    case markOrderAsPaidLocally(siteID: Int64, orderID: Int64, datePaid: Timestamp, onCompletion: Completion<Order>)
    /// Hides the order at once and deletes it at the site: for good, or into the trash. When the site refuses, it is
    /// back as it was, with its notes.
    case deleteOrder(siteID: Int64, orderID: Int64, isPermanent: Bool, onCompletion: Completion<Void>)
    /// Forgets the stored orders of a site with their notes; nil: of all sites.
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
