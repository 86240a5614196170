public import Determinism

/// Orders and their notes.
public struct OrdersRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    public func loadOrders(
        siteID: Int64, filter: OrderFilter = OrderFilter(), page wanted: PageRequest = PageRequest()
    ) async throws(NetworkError) -> Page<Order> {
        var parameters = filter.parameters
        parameters.add("_fields", .text(Self.fields))
        wanted.add(to: &parameters)
        return try await page(
            JetpackRequest(siteID: siteID, .get, "orders", parameters: parameters), wanted, siteID: siteID)
    }

    public func searchOrders(
        siteID: Int64, keyword: String, page wanted: PageRequest = PageRequest()
    ) async throws(NetworkError) -> Page<Order> {
        try await loadOrders(siteID: siteID, filter: OrderFilter(search: keyword), page: wanted)
    }

    public func loadOrder(siteID: Int64, orderID: Int64) async throws(NetworkError) -> Order {
        let request = JetpackRequest(siteID: siteID, .get, "orders/\(orderID)", parameters: Self.orderParameters)
        return try await value(request, context: DecodingContext(siteID: siteID))
    }

    /// The same with what only a payment has to know of it.
    public func loadOrderToPay(siteID: Int64, orderID: Int64) async throws(NetworkError) -> OrderForPayment {
        let parameters: Parameters = [
            "_fields": .text(Self.fields + ",prices_include_tax"), "dates_are_gmt": true,
        ]
        let request = JetpackRequest(siteID: siteID, .get, "orders/\(orderID)", parameters: parameters)
        return try await value(request, context: DecodingContext(siteID: siteID))
    }

    public func loadDateModified(siteID: Int64, orderID: Int64) async throws(NetworkError) -> Timestamp {
        let parameters: Parameters = ["_fields": "date_modified_gmt", "dates_are_gmt": true]
        let request = JetpackRequest(siteID: siteID, .get, "orders/\(orderID)", parameters: parameters)
        let modified: OrderDateModified = try await value(request)
        return modified.dateModifiedGMT
    }

    /// `idempotencyKey`: with one, a store that knows keys creates the order once, however often it is asked.
    /// WooCommerce by itself does not know them.
    public func createOrder(
        siteID: Int64, _ changes: OrderChanges, idempotencyKey: String? = nil
    ) async throws(NetworkError) -> Order {
        let request = JetpackRequest(
            siteID: siteID, .post, "orders", parameters: changes.parameters,
            options: RequestOptions(idempotencyKey: idempotencyKey))
        return try await value(request, context: DecodingContext(siteID: siteID))
    }

    public func updateOrder(
        siteID: Int64, orderID: Int64, _ changes: OrderChanges
    ) async throws(NetworkError) -> Order {
        let request = JetpackRequest(siteID: siteID, .post, "orders/\(orderID)", parameters: changes.parameters)
        return try await value(request, context: DecodingContext(siteID: siteID))
    }

    /// `force`: deletes it for good instead of putting it into the trash.
    public func deleteOrder(siteID: Int64, orderID: Int64, force: Bool) async throws(NetworkError) -> Order {
        let request = JetpackRequest(
            siteID: siteID, .delete, "orders/\(orderID)", parameters: ["force": .bool(force)])
        return try await value(request, context: DecodingContext(siteID: siteID))
    }

    // MARK: Notes

    public func loadOrderNotes(siteID: Int64, orderID: Int64) async throws(NetworkError) -> ElementList<OrderNote> {
        try await list(
            JetpackRequest(siteID: siteID, .get, "orders/\(orderID)/notes/"),
            context: DecodingContext(siteID: siteID, orderID: orderID))
    }

    /// `isCustomerNote`: sends it to the customer too.
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
