// Made by Scripts/generate from Sources/Networking/Models/Payments/GatewayAccount.swift: change that, not this.
extension GatewayAccount {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        siteID: Int64? = nil,
        gatewayID: String? = nil,
        status: GatewayAccountStatus? = nil,
        isLive: Bool? = nil,
        testMode: Bool?? = nil,
        hasPendingRequirements: Bool? = nil,
        hasOverdueRequirements: Bool? = nil,
        currentDeadline: Int64?? = nil,
        statementDescriptor: String? = nil,
        storeCurrencies: GatewayCurrencies? = nil,
        country: String? = nil,
        cardPresentEligible: Bool?? = nil
    ) -> GatewayAccount {
        GatewayAccount(
            siteID: siteID ?? self.siteID,
            gatewayID: gatewayID ?? self.gatewayID,
            status: status ?? self.status,
            isLive: isLive ?? self.isLive,
            testMode: testMode ?? self.testMode,
            hasPendingRequirements: hasPendingRequirements ?? self.hasPendingRequirements,
            hasOverdueRequirements: hasOverdueRequirements ?? self.hasOverdueRequirements,
            currentDeadline: currentDeadline ?? self.currentDeadline,
            statementDescriptor: statementDescriptor ?? self.statementDescriptor,
            storeCurrencies: storeCurrencies ?? self.storeCurrencies,
            country: country ?? self.country,
            cardPresentEligible: cardPresentEligible ?? self.cardPresentEligible)
    }
}
