// @record key(siteID, id)
/// A charge (`wc/v3/payments/charges/{id}`). Amounts are in minor units.
public struct WCPayCharge: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let id: String
    public let amount: Int64
    public let amountCaptured: Int64
    public let amountRefunded: Int64
    public let authorizationCode: String?
    public let captured: Bool
    /// In seconds since 1970.
    public let created: Int64
    /// ISO 4217 in lower case.
    public let currency: String
    public let paid: Bool
    public let paymentIntent: String?
    public let paymentMethod: String
    public let paymentMethodDetails: WCPayPaymentMethodDetails  // @embedded as(method)
    public let refunded: Bool
    public let status: WCPayChargeStatus

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        id: String,
        amount: Int64,
        amountCaptured: Int64,
        amountRefunded: Int64,
        authorizationCode: String?,
        captured: Bool,
        created: Int64,
        currency: String,
        paid: Bool,
        paymentIntent: String?,
        paymentMethod: String,
        paymentMethodDetails: WCPayPaymentMethodDetails,
        refunded: Bool,
        status: WCPayChargeStatus
    ) {
        self.siteID = siteID
        self.id = id
        self.amount = amount
        self.amountCaptured = amountCaptured
        self.amountRefunded = amountRefunded
        self.authorizationCode = authorizationCode
        self.captured = captured
        self.created = created
        self.currency = currency
        self.paid = paid
        self.paymentIntent = paymentIntent
        self.paymentMethod = paymentMethod
        self.paymentMethodDetails = paymentMethodDetails
        self.refunded = refunded
        self.status = status
    }
    // End of what was made.
}
