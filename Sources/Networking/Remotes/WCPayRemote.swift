/// WooPayments.
public struct WCPayRemote: CardPresentRemote {
    public static let gatewayID = "woocommerce-payments"
    public static let root = "payments"
    public static let accountPath = "payments/accounts"

    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    public func fetchCharge(siteID: Int64, chargeID: String) async throws(NetworkError) -> WCPayCharge {
        try await value(
            JetpackRequest(siteID: siteID, .get, "payments/charges/\(chargeID)"),
            context: DecodingContext(siteID: siteID))
    }
}
