public import Determinism
import Text

/// Orders and their notes.
public struct OrdersRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Loads a page of the orders that match the filter.
    public func loadOrders(
        siteID: Int64, filter: OrderFilter = OrderFilter(), page wanted: PageRequest = PageRequest()
    ) async throws(NetworkError) -> Page<Order> {
        var parameters = filter.parameters
        parameters.add("_fields", .text(Self.fields))
        wanted.add(to: &parameters)
        return try await page(
            JetpackRequest(siteID: siteID, .get, "orders", parameters: parameters), wanted, siteID: siteID)
    }

    /// Loads a page of the orders in which the store finds the keyword.
    public func searchOrders(
        siteID: Int64, keyword: String, page wanted: PageRequest = PageRequest()
    ) async throws(NetworkError) -> Page<Order> {
        try await loadOrders(siteID: siteID, filter: OrderFilter(search: keyword), page: wanted)
    }

    /// Loads one order.
    public func loadOrder(siteID: Int64, orderID: Int64) async throws(NetworkError) -> Order {
        let request = JetpackRequest(siteID: siteID, .get, "orders/\(orderID)", parameters: Self.orderParameters)
        return try await value(request, context: DecodingContext(siteID: siteID))
    }

    /// Loads an order with the properties that only a payment needs.
    public func loadOrderForPayment(siteID: Int64, orderID: Int64) async throws(NetworkError) -> OrderForPayment {
        let parameters: Parameters = [
            "_fields": .text(Self.fields + ",prices_include_tax"), "dates_are_gmt": true,
        ]
        let request = JetpackRequest(siteID: siteID, .get, "orders/\(orderID)", parameters: parameters)
        return try await value(request, context: DecodingContext(siteID: siteID))
    }

    /// Loads only the time of an order's last change.
    public func loadDateModified(siteID: Int64, orderID: Int64) async throws(NetworkError) -> Timestamp {
        let parameters: Parameters = ["_fields": "date_modified_gmt", "dates_are_gmt": true]
        let request = JetpackRequest(siteID: siteID, .get, "orders/\(orderID)", parameters: parameters)
        let modified: OrderDateModified = try await value(request)
        return modified.dateModifiedGMT
    }

    /// `idempotencyKey`: a store that supports keys creates the order once, even if the request repeats. WooCommerce
    /// itself does not support them.
    public func createOrder(
        siteID: Int64, _ changes: OrderChanges, idempotencyKey: String? = nil
    ) async throws(NetworkError) -> Order {
        let request = JetpackRequest(
            siteID: siteID, .post, "orders", parameters: changes.parameters,
            options: RequestOptions(idempotencyKey: idempotencyKey))
        return try await value(request, context: DecodingContext(siteID: siteID))
    }

    /// Changes the given parts of an order, and returns the order.
    public func updateOrder(
        siteID: Int64, orderID: Int64, _ changes: OrderChanges
    ) async throws(NetworkError) -> Order {
        let request = JetpackRequest(siteID: siteID, .post, "orders/\(orderID)", parameters: changes.parameters)
        return try await value(request, context: DecodingContext(siteID: siteID))
    }

    /// Completes an order that was paid elsewhere.
    ///
    /// WooCommerce completes an order with `set_paid` only while it needs a payment: `isReopened` makes it pending
    /// first, which it must be for an order that is on hold, or in process and unpaid. `transactionID` names the
    /// payment, also in the metadata under ``transactionKey``.
    public func completeOrder(
        siteID: Int64, orderID: Int64, methodID: String, methodTitle: String, transactionID: String, isReopened: Bool
    ) async throws(NetworkError) -> Order {
        var parameters: Parameters = [
            "payment_method": .text(methodID), "payment_method_title": .text(methodTitle), "set_paid": true,
            "transaction_id": .text(transactionID),
            "meta_data": [["key": .text(Self.transactionKey), "value": .text(transactionID)]],
        ]
        if isReopened { parameters.add("status", .text(OrderStatusEnum.pending.rawValue)) }
        let request = JetpackRequest(siteID: siteID, .post, "orders/\(orderID)", parameters: parameters)
        return try await value(request, context: DecodingContext(siteID: siteID))
    }

    /// The entry of an order's metadata with the name of a payment that a till took.
    public static let transactionKey = "_cardpresent_intent_id"

    /// `force`: deletes the order permanently instead of moving it to the trash.
    public func deleteOrder(siteID: Int64, orderID: Int64, force: Bool) async throws(NetworkError) -> Order {
        let request = JetpackRequest(
            siteID: siteID, .delete, "orders/\(orderID)", parameters: ["force": .bool(force)])
        return try await value(request, context: DecodingContext(siteID: siteID))
    }

    // MARK: Notes

    /// Loads the notes of an order.
    public func loadOrderNotes(siteID: Int64, orderID: Int64) async throws(NetworkError) -> ElementList<OrderNote> {
        try await list(
            JetpackRequest(siteID: siteID, .get, "orders/\(orderID)/notes/"),
            context: DecodingContext(siteID: siteID, orderID: orderID))
    }

    /// `isCustomerNote`: also sends the note to the customer.
    public func addOrderNote(
        siteID: Int64, orderID: Int64, isCustomerNote: Bool, note: String
    ) async throws(NetworkError) -> OrderNote {
        let parameters: Parameters = [
            "note": .text(note), "customer_note": .bool(isCustomerNote), "added_by_user": true,
        ]
        return try await value(
            JetpackRequest(siteID: siteID, .post, "orders/\(orderID)/notes", parameters: parameters),
            context: DecodingContext(siteID: siteID, orderID: orderID))
    }

    private static let orderParameters: Parameters = ["_fields": .text(fields), "dates_are_gmt": true]

    private static let fields = """
        id,parent_id,number,status,currency,currency_symbol,customer_id,customer_note,date_created_gmt,\
        date_modified_gmt,date_paid_gmt,date_completed_gmt,discount_total,discount_tax,shipping_total,shipping_tax,\
        total,total_tax,payment_method,payment_method_title,payment_url,transaction_id,line_items,shipping,billing,\
        coupon_lines,shipping_lines,refunds,fee_lines,order_key,tax_lines,meta_data,is_editable,needs_payment,\
        needs_processing,gift_cards
        """
}

/// A filter for orders. Times are UTC.
public struct OrderFilter: Hashable, Sendable {
    /// Nil for any status.
    public var statuses: [OrderStatusEnum]?
    public var after: Timestamp?
    public var before: Timestamp?
    public var modifiedAfter: Timestamp?
    public var customerID: Int64?
    public var productID: Int64?
    public var search: String?
    /// The IDs of the orders; nil for any.
    public var orderIDs: [Int64]?

    /// Combines conditions: all that are not nil must hold.
    public init(
        statuses: [OrderStatusEnum]? = nil, after: Timestamp? = nil, before: Timestamp? = nil,
        modifiedAfter: Timestamp? = nil, customerID: Int64? = nil, productID: Int64? = nil, search: String? = nil,
        orderIDs: [Int64]? = nil
    ) {
        (self.statuses, self.after, self.before, self.modifiedAfter) = (statuses, after, before, modifiedAfter)
        (self.customerID, self.productID, self.search, self.orderIDs) = (customerID, productID, search, orderIDs)
    }

    var parameters: Parameters {
        let words = statuses.map { $0.isEmpty ? "any" : $0.map(\.rawValue).joined(separator: ",") } ?? "any"
        var parameters: Parameters = ["status": .text(words), "dates_are_gmt": true]
        for (name, moment) in [("after", after), ("before", before), ("modified_after", modifiedAfter)] {
            if let moment { parameters.add(name, .text(moment.civil(offsetSeconds: 0).description)) }
        }
        parameters.add("customer", ifPresent: customerID)
        parameters.add("product", ifPresent: productID)
        parameters.add("search", ifPresent: search)
        parameters.add("include", ifPresent: orderIDs.map { $0.map(String.init).joined(separator: ",") })
        return parameters
    }
}

/// Order counts by status, which also list the statuses of a store.
public struct ReportRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Loads the statuses of the store, those of plug-ins included, with the number of orders in each.
    public func loadOrderStatuses(siteID: Int64) async throws(NetworkError) -> ElementList<OrderStatus> {
        try await list(
            JetpackRequest(siteID: siteID, .get, "reports/orders/totals"), context: DecodingContext(siteID: siteID))
    }
}

/// Receipts that the store hosts (WooCommerce 8.7).
public struct ReceiptRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// `expirationDays`: how long the address is valid.
    /// `forceNew`: creates a new address even if one exists.
    public func retrieveReceipt(
        siteID: Int64, orderID: Int64, expirationDays: Int = 2, forceNew: Bool = true
    ) async throws(NetworkError) -> BackendReceipt {
        let parameters: Parameters = [
            "expiration_days": .text(String(expirationDays)), "force_new": .text(forceNew ? "true" : "false"),
        ]
        return try await value(
            JetpackRequest(siteID: siteID, .post, "orders/\(orderID)/receipt", parameters: parameters))
    }
}
