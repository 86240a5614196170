/// What the two payment gateways for card-present payments have in common; they differ in their paths.
public protocol CardPresentRemote: Remote {
    /// The name of the gateway's plug-in.
    static var gatewayID: String { get }
    /// In front of every path but the account's.
    static var root: String { get }
    static var accountPath: String { get }
}

extension CardPresentRemote {
    /// - Returns: nil when the store has no account with the gateway.
    public func loadAccount(siteID: Int64) async throws(NetworkError) -> GatewayAccount? {
        let fields: Parameters = [
            "_fields": """
            status,is_live,test_mode,has_pending_requirements,has_overdue_requirements,current_deadline,\
            statement_descriptor,store_currencies,country,card_present_eligible
            """
        ]
        return try await output(
            GatewayAccountMapper(siteID: siteID, gatewayID: Self.gatewayID),
            JetpackRequest(siteID: siteID, .get, Self.accountPath, parameters: fields))
    }

    public func loadConnectionToken(siteID: Int64) async throws(NetworkError) -> ReaderConnectionToken {
        try await value(JetpackRequest(siteID: siteID, .post, "\(Self.root)/connection_tokens"))
    }

    public func loadDefaultReaderLocation(siteID: Int64) async throws(NetworkError) -> ReaderLocation {
        try await value(JetpackRequest(siteID: siteID, .get, "\(Self.root)/terminal/locations/store"))
    }

    /// Captures a payment that a reader has made ready, and marks its order as paid.
    ///
    /// `idempotencyKey`: the same for every attempt of one payment, so that it is captured once.
    public func captureOrderPayment(
        siteID: Int64, orderID: Int64, paymentIntentID: String, idempotencyKey: String
    ) async throws(NetworkError) -> RemotePaymentIntent {
        let request = JetpackRequest(
            siteID: siteID, .post, "\(Self.root)/orders/\(orderID)/capture_terminal_payment",
            parameters: ["_fields": "id,status", "payment_intent_id": .text(paymentIntentID)],
            options: RequestOptions(idempotencyKey: idempotencyKey))
        return try await value(request)
    }
}
