/// An account with a payment gateway of a store site.
public struct PaymentGatewayAccount: Hashable, Sendable, Codable {
    public var siteID: Int64
    /// `woocommerce-payments` or `woocommerce-stripe`
    public var gatewayID: String

    public init(siteID: Int64, gatewayID: String) { (self.siteID, self.gatewayID) = (siteID, gatewayID) }
}
