// Made by Scripts/generate from Sources/Networking/Models/Payments/GatewayAccount.swift: change that, not this.
public import Networking

extension GatewayAccount: Fakeable {
    public static func fake(from source: inout FakeSource) -> GatewayAccount {
        GatewayAccount(
            siteID: .fake(from: &source),
            gatewayID: .fake(from: &source),
            status: .fake(from: &source),
            isLive: .fake(from: &source),
            testMode: .fake(from: &source),
            hasPendingRequirements: .fake(from: &source),
            hasOverdueRequirements: .fake(from: &source),
            currentDeadline: .fake(from: &source),
            statementDescriptor: .fake(from: &source),
            storeCurrencies: .fake(from: &source),
            country: .fake(from: &source),
            cardPresentEligible: .fake(from: &source))
    }
}
