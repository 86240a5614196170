import Text

/// The refunds of orders.
public struct RefundsRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// `refundIDs`: only these refunds; nil for all of the order.
    public func loadRefunds(
        siteID: Int64, orderID: Int64, refundIDs: [Int64]? = nil, page wanted: PageRequest = PageRequest()
    ) async throws(NetworkError) -> Page<Refund> {
        var parameters: Parameters = [:]
        parameters.add("include", ifPresent: refundIDs.map { $0.map(String.init).joined(separator: ",") })
        wanted.add(to: &parameters)
        return try await page(
            JetpackRequest(siteID: siteID, .get, Self.path(orderID), parameters: parameters), wanted,
            context: DecodingContext(siteID: siteID, orderID: orderID))
    }

    /// Loads a refund of an order.
    public func loadRefund(siteID: Int64, orderID: Int64, refundID: Int64) async throws(NetworkError) -> Refund {
        try await value(
            JetpackRequest(siteID: siteID, .get, "\(Self.path(orderID))/\(refundID)"),
            context: DecodingContext(siteID: siteID, orderID: orderID))
    }

    /// WooCommerce itself knows no idempotency keys: look for a refund of the same name before a second request.
    ///
    /// - Returns: The refund; the store may answer before it wrote the metadata.
    public func createRefund(
        siteID: Int64, orderID: Int64, _ draft: RefundDraft
    ) async throws(NetworkError) -> Refund {
        try await value(
            JetpackRequest(siteID: siteID, .post, Self.path(orderID), parameters: draft.parameters),
            context: DecodingContext(siteID: siteID, orderID: orderID))
    }

    private static func path(_ orderID: Int64) -> String { "orders/\(orderID)/refunds" }
}
