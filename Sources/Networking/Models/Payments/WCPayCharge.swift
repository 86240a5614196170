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
    public let paymentMethodDetails: WCPayPaymentMethodDetails
    public let refunded: Bool
    public let status: WCPayChargeStatus
}
