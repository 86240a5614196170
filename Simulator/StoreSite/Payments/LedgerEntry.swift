/// A charge, for whoever compares what was taken with what should have been.
public struct LedgerEntry: Hashable, Sendable {
    /// `ch_…`
    public let chargeID: String
    /// `pi_…`
    public let paymentIntentID: String
    public let orderID: Int64
    /// `woocommerce_payments` or `stripe`
    public let gateway: String
    /// In hundredths.
    public let amount: Int64
    /// An ISO 4217 code in lower case.
    public let currency: String
    /// How often a capture was asked for. The money was taken once.
    public let captureRequests: Int

    init(_ charge: Charge) {
        (chargeID, paymentIntentID, orderID) = (charge.id, charge.intentID, charge.orderID)
        (gateway, amount, currency) = (charge.gateway.rawValue, charge.amount.hundredths, charge.currency)
        captureRequests = charge.requests
    }
}
