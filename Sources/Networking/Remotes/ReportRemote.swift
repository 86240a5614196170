/// Counts of orders by status: where a store's statuses are learnt from.
public struct ReportRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    public func loadOrderStatuses(siteID: Int64) async throws(NetworkError) -> ElementList<OrderStatus> {
        try await list(
            JetpackRequest(siteID: siteID, .get, "reports/orders/totals"), context: DecodingContext(siteID: siteID))
    }
}
