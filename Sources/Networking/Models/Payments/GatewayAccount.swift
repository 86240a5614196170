/// A store's account with a payment gateway: WooPayments (`wc/v3/payments/accounts`) or the Stripe extension
/// (`wc/v3/wc_stripe/account/summary`).
public struct GatewayAccount: Codable, Hashable, Sendable {
    public let status: GatewayAccountStatus
    public let isLive: Bool
    /// Payments are tried, not made.
    public let testMode: Bool?
    public let hasPendingRequirements: Bool
    public let hasOverdueRequirements: Bool
    /// When requirements have to be met, in seconds since 1970.
    public let currentDeadline: Int64?
    public let statementDescriptor: String
    public let storeCurrencies: GatewayCurrencies
    /// ISO 3166-1, two letters.
    public let country: String
    public let cardPresentEligible: Bool?
}
