import Text

/// The common requests of the two gateways for card-present payments. Only the paths differ.
public protocol CardPresentRemote: Remote {
    /// The name of the gateway's plug-in.
    static var gatewayID: String { get }
    /// The prefix of every path except the account's.
    static var root: String { get }
    static var accountPath: String { get }
}

extension CardPresentRemote {
    /// - Returns: Nil when the store has no account with the gateway.
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

    /// Creates a token with which a reader connects to the gateway.
    public func loadConnectionToken(siteID: Int64) async throws(NetworkError) -> ReaderConnectionToken {
        try await value(JetpackRequest(siteID: siteID, .post, "\(Self.root)/connection_tokens"))
    }

    /// Loads the location of the store's readers. The gateway creates it from the store's address if there is none.
    public func loadDefaultReaderLocation(siteID: Int64) async throws(NetworkError) -> ReaderLocation {
        try await value(JetpackRequest(siteID: siteID, .get, "\(Self.root)/terminal/locations/store"))
    }

    /// Captures an authorized card-present payment and marks its order as paid.
    ///
    /// `idempotencyKey`: the same for all attempts of one payment, so that it is captured once.
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

/// WooPayments.
public struct WCPayRemote: CardPresentRemote {
    public static let gatewayID = "woocommerce-payments"
    public static let root = "payments"
    public static let accountPath = "payments/accounts"

    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Loads a charge with the details of its card.
    public func fetchCharge(siteID: Int64, chargeID: String) async throws(NetworkError) -> WCPayCharge {
        try await value(
            JetpackRequest(siteID: siteID, .get, "payments/charges/\(chargeID)"),
            context: DecodingContext(siteID: siteID))
    }
}

/// The Stripe extension.
public struct StripeRemote: CardPresentRemote {
    public static let gatewayID = "woocommerce-stripe"
    public static let root = "wc_stripe"
    public static let accountPath = "wc_stripe/account/summary"

    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }
}

/// Decodes a gateway's account. WooPayments returns an empty list when there is none.
struct GatewayAccountMapper: Mapper {
    private let context: DecodingContext

    init(siteID: Int64, gatewayID: String) { context = DecodingContext(siteID: siteID, gatewayID: gatewayID) }

    func map(_ content: ResponseContent) throws(DecodingFailure) -> GatewayAccount? {
        if content.isEmptyList { return nil }
        return try content.value(GatewayAccount.self, context: context)
    }
}
