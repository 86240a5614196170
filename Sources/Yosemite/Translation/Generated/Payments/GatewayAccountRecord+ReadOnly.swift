// Made by Scripts/generate from Sources/Networking/Models/Payments/GatewayAccount.swift: change that, not this.
public import Networking
public import Storage

extension GatewayAccountRecord: ReadOnlyConvertible {
    public init(_ model: GatewayAccount) {
        self.init(
            siteID: model.siteID,
            gatewayID: model.gatewayID,
            status: model.status.rawValue,
            isLive: model.isLive,
            testMode: model.testMode,
            hasPendingRequirements: model.hasPendingRequirements,
            hasOverdueRequirements: model.hasOverdueRequirements,
            currentDeadline: model.currentDeadline,
            statementDescriptor: model.statementDescriptor,
            storeCurrenciesDefault: model.storeCurrencies.`default`,
            storeCurrenciesSupported: JSONColumn.text(model.storeCurrencies.supported),
            country: model.country,
            cardPresentEligible: model.cardPresentEligible)
    }

    public func toReadOnly() throws -> GatewayAccount {
        try GatewayAccount(
            siteID: siteID,
            gatewayID: gatewayID,
            status: GatewayAccountStatus(rawValue: status),
            isLive: isLive,
            testMode: testMode,
            hasPendingRequirements: hasPendingRequirements,
            hasOverdueRequirements: hasOverdueRequirements,
            currentDeadline: currentDeadline,
            statementDescriptor: statementDescriptor,
            storeCurrencies: readStoreCurrencies(),
            country: country,
            cardPresentEligible: cardPresentEligible)
    }

    private func readStoreCurrencies() throws -> GatewayCurrencies {
        try GatewayCurrencies(
            default: storeCurrenciesDefault,
            supported: json(storeCurrenciesSupported, "storeCurrenciesSupported"))
    }
}

extension GatewayAccount: ReadOnlyType {
    public typealias Record = GatewayAccountRecord

    public func isReadOnlyRepresentation(of record: GatewayAccountRecord) -> Bool {
        siteID == record.siteID && gatewayID == record.gatewayID
    }
}
