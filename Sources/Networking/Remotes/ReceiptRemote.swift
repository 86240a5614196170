/// Receipts that the store shows itself (WooCommerce 8.7).
public struct ReceiptRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    /// `expirationDays`: how long the address shows it.
    /// `forceNew`: makes another address although one is there.
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
