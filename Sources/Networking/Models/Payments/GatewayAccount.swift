// @record key(siteID, gatewayID)
/// A store's account with a payment gateway: WooPayments (`wc/v3/payments/accounts`) or the Stripe extension
/// (`wc/v3/wc_stripe/account/summary`).
public struct GatewayAccount: Codable, Hashable, Sendable {
    public let siteID: Int64
    /// `woocommerce-payments` or `woocommerce-stripe`: the one that was asked.
    public let gatewayID: String
    public let status: GatewayAccountStatus
    public let isLive: Bool
    /// Payments are tried, not made.
    public let testMode: Bool?
    public let hasPendingRequirements: Bool
    public let hasOverdueRequirements: Bool
    /// When requirements have to be met, in seconds since 1970.
    public let currentDeadline: Int64?
    public let statementDescriptor: String
    public let storeCurrencies: GatewayCurrencies  // @embedded
    /// ISO 3166-1, two letters.
    public let country: String
    public let cardPresentEligible: Bool?

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        gatewayID: String,
        status: GatewayAccountStatus,
        isLive: Bool,
        testMode: Bool?,
        hasPendingRequirements: Bool,
        hasOverdueRequirements: Bool,
        currentDeadline: Int64?,
        statementDescriptor: String,
        storeCurrencies: GatewayCurrencies,
        country: String,
        cardPresentEligible: Bool?
    ) {
        self.siteID = siteID
        self.gatewayID = gatewayID
        self.status = status
        self.isLive = isLive
        self.testMode = testMode
        self.hasPendingRequirements = hasPendingRequirements
        self.hasOverdueRequirements = hasOverdueRequirements
        self.currentDeadline = currentDeadline
        self.statementDescriptor = statementDescriptor
        self.storeCurrencies = storeCurrencies
        self.country = country
        self.cardPresentEligible = cardPresentEligible
    }
    // End of what was made.
}
