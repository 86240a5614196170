import EMV
import Money
import Payments
public import Settings

extension TillConfiguration {
    private static let keys = [
        "merchant", "terminal", "currency", "maximumAmount", "applications", "capks", "revocations",
        "splitSaleWindow", "readers", "host", "hosts", "routes", "receipt", "printers", "store", "order", "features",
    ]

    /// Reads a configuration that is a part of another file.
    ///
    /// - Parameter root: a mapping with the keys of a configuration file.
    /// - Throws: `SettingsError` with line and key.
    public init(_ root: SettingsNode) throws(SettingsError) {
        try root.mapping(allowedKeys: Self.keys)
        let currency = try root.optional("currency")?.currency() ?? Self.standard.currency
        let merchant = try MerchantSettings(try root.optional("merchant"))
        let terminal = try TerminalSettings(try root.optional("terminal"), currency: currency)
        let applications = try ApplicationListSettings(try root.optional("applications"), currency: currency)
        let keys = try CAPublicKeyStore(section: try root.optional("capks"))
        let revocations = try RevocationSettings(try root.optional("revocations")).revocations

        self.merchant = Merchant(
            name: merchant.name, lines: merchant.address, merchantID: merchant.id, terminalID: terminal.id)
        merchantCity = merchant.city
        do throws(TerminalConfigurationError) {
            self.terminal = try Self.terminal(merchant, terminal, applications.applications, keys, revocations)
            terminalForOtherCurrencies = try Self.terminal(
                merchant, terminal, try applications.applications.map(Self.withoutFloorLimit), keys, revocations)
        } catch {
            throw root.error(error.description)
        }
        pinPadScheme = terminal.pinScheme
        (magneticStripe, relayResistance) = (terminal.magneticStripe, terminal.relayResistance)
        contactlessPolicy = terminal.contactless
        applicationNames = applications.names
        self.currency = currency
        maximumAmounts = try Self.maximumAmounts(try root.optional("maximumAmount"), currency)
        host = try root.optional("host").map(PaymentHostChoice.init) ?? Self.standard.host
        preauthorizationDays = try PaymentHostChoice.preauthorizationDays(try root.optional("host"))
        incrementRenewsHold = try PaymentHostChoice.incrementRenewsHold(try root.optional("host"))
        otherHosts = try NamedAcquirer.others(try root.optional("hosts"), besides: host)
        routing = try HostRouting(root, host, otherHosts)
        splitSaleWindow =
            try root.optional("splitSaleWindow").map(SplitSaleWindow.init) ?? Self.standard.splitSaleWindow
        receipt = try ReceiptSettings(try root.optional("receipt"), country: terminal.country)
        printers = try PrinterSettings(try root.optional("printers")).printers
        store = try StoreSettings(try root.optional("store"))
        orderPayment = try OrderSettings(try root.optional("order")).payment
        features = try FeatureOverrides(try root.optional("features"))
        let readers = try ReaderSettings(try root.optional("readers"))
        (readerQuirks, readerFirmware, reconnection) = (readers.quirks, readers.firmware, readers.reconnection)
    }

    private static func terminal(
        _ merchant: MerchantSettings, _ terminal: TerminalSettings, _ applications: [TerminalApplication],
        _ keys: CAPublicKeyStore, _ revocations: [CertificateRevocation]
    ) throws(TerminalConfigurationError) -> TerminalConfiguration {
        var configuration = try TerminalConfiguration(
            type: terminal.type, capabilities: terminal.capabilities,
            additionalCapabilities: terminal.additionalCapabilities, country: terminal.country,
            merchantCategory: merchant.categoryCode, merchantIdentifier: merchant.id,
            merchantNameAndLocation: merchant.nameAndLocation, terminalIdentification: terminal.id,
            interfaceDeviceSerial: terminal.interfaceDeviceSerial, acquirer: terminal.acquirerID,
            applications: applications, certificationAuthorityKeys: keys.keys, revokedCertificates: revocations,
            pinPolicy: terminal.pin, offersApplicationChoice: terminal.applicationChoice
        ).adding(ellipticAuthorityKeys: keys.ellipticKeys)
        configuration.accountTypes = terminal.accountTypes.map(\.code)
        return configuration
    }

    private static func withoutFloorLimit(
        _ application: TerminalApplication
    ) throws(TerminalConfigurationError) -> TerminalApplication {
        try TerminalApplication(
            aid: application.aid, allowsPartialSelection: application.allowsPartialSelection,
            versions: application.versions, actionCodes: application.actionCodes,
            checksVelocity: application.checksVelocity, defaultDDOL: application.defaultDDOL.encoded,
            defaultTDOL: application.defaultTDOL?.encoded)
    }

    /// An amount of `currency`, or a mapping from currency codes to amounts.
    private static func maximumAmounts(_ node: SettingsNode?, _ currency: Currency) throws(SettingsError) -> [Money] {
        guard let node else { return [] }
        guard node.kind == .mapping else { return [try maximum(node, currency)] }
        var amounts: [Money] = []
        for (key, value) in try node.currencies() { amounts.append(try maximum(value, key)) }
        guard amounts.contains(where: { $0.currency == currency }) else {
            throw node.error("no amount for the till's own currency", fix: "add one for \(currency.code)")
        }
        return amounts
    }

    private static func maximum(_ node: SettingsNode, _ currency: Currency) throws(SettingsError) -> Money {
        let amount = try node.money(currency)
        guard amount.minorUnits > 0 else { throw node.error("a maximum of zero rejects every payment") }
        return amount
    }
}
