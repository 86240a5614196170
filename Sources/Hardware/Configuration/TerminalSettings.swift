internal import EMV
internal import SettingsFile

/// The section `terminal`.
struct TerminalSettings {
    var id: String
    var type: TerminalType
    var country: UInt16
    var acquirerID: UInt64
    var interfaceDeviceSerial: String
    var capabilities: TerminalCapabilities
    var additionalCapabilities: AdditionalTerminalCapabilities
    var pin: PINPolicy
    var pinScheme: PINPadScheme
    var applicationChoice: Bool
    var magneticStripe: MagneticStripePolicy

    static let keys = [
        "id", "type", "country", "acquirerId", "interfaceDeviceSerial", "capabilities", "additionalCapabilities",
        "pin", "applicationChoice", "magstripe",
    ]

    /// Without a node the file has no such section.
    init(_ node: SettingsNode?) throws(SettingsError) {
        let standard = TerminalConfiguration.standard
        (id, type, country) = (standard.terminalIdentification, standard.type, standard.country)
        (acquirerID, interfaceDeviceSerial) = (standard.acquirer, standard.interfaceDeviceSerial)
        (capabilities, additionalCapabilities) = (standard.capabilities, standard.additionalCapabilities)
        (pin, applicationChoice) = (standard.pinPolicy, standard.offersApplicationChoice)
        pinScheme = TillConfiguration.standardPINPadScheme
        magneticStripe = try MagneticStripePolicy(try node?.optional("magstripe"))
        guard let node else { return }

        try node.mapping(allowedKeys: Self.keys)
        if let node = try node.optional("id") { id = try node.printable(length: 8...8) }
        if let node = try node.optional("type") { type = try Self.type(node) }
        if let node = try node.optional("country") { country = try Self.country(node) }
        if let node = try node.optional("acquirerId") { acquirerID = UInt64(try node.int(in: 0...99_999_999_999)) }
        if let node = try node.optional("interfaceDeviceSerial") {
            interfaceDeviceSerial = try node.printable(length: 8...8)
        }
        if let node = try node.optional("capabilities") {
            capabilities = try CapabilityNames.terminal.read(node)
            guard capabilities.contains(.contactChip) else {
                throw node.error("the terminal reads chip cards by contacts", fix: "add contactChip")
            }
        }
        if let node = try node.optional("additionalCapabilities") {
            additionalCapabilities = try CapabilityNames.additional.read(node)
        }
        if let node = try node.optional("pin") { (pin, pinScheme) = try Self.pin(node, standard: (pin, pinScheme)) }
        if pin.entry == .reader {
            // Nobody can type an enciphered PIN there. What is only a default follows, what was written must agree.
            let impossible: TerminalCapabilities = [.encipheredOnlinePIN, .encipheredOfflinePIN]
            if let node = try node.optional("capabilities"), !capabilities.isDisjoint(with: impossible) {
                throw node.error(
                    "with pin.entry 'reader' no PIN reaches the terminal, so that none can be enciphered",
                    fix: "leave encipheredOnlinePIN and encipheredOfflinePIN out, or use pin.entry 'readerFirst'")
            }
            capabilities.subtract(impossible)
        }
        if let node = try node.optional("applicationChoice") { applicationChoice = try node.bool() }
    }

    private static func type(_ node: SettingsNode) throws(SettingsError) -> TerminalType {
        let text = try node.text()
        guard text.utf8.count == 2, let number = UInt8(text, radix: 16), let type = TerminalType(rawValue: number)
        else {
            throw node.error(
                "not a terminal type", fix: "write 11 to 16, 21 to 26 or 34 to 36; a shop's till is 22 or 21")
        }
        return type
    }

    private static func country(_ node: SettingsNode) throws(SettingsError) -> UInt16 {
        guard let country = CountryCode.numeric(try node.text()) else {
            throw node.error("not a country", fix: "write an ISO 3166 code such as US, USA or 840")
        }
        return country
    }

    private static func pin(
        _ node: SettingsNode, standard: (policy: PINPolicy, scheme: PINPadScheme)
    ) throws(SettingsError) -> (PINPolicy, PINPadScheme) {
        try node.mapping(allowedKeys: [
            "bypass", "bypassCoversLaterMethods", "tries", "entry", "readerRefusal", "readerSeconds", "scheme",
        ])
        var policy = standard.policy
        if let node = try node.optional("bypass") { policy.allowsBypass = try node.bool() }
        if let node = try node.optional("bypassCoversLaterMethods") {
            policy.bypassCoversLaterMethods = try node.bool()
        }
        if let node = try node.optional("tries") { policy.maximumTries = try node.int(in: 1...15) }
        if let node = try node.optional("entry") { policy.entry = try node.choice(PINPolicy.Entry.self) }
        if let node = try node.optional("readerRefusal") {
            policy.readerRefusal = try node.choice(PINPolicy.Refusal.self)
        }
        if let node = try node.optional("readerSeconds") { policy.readerSeconds = UInt8(try node.int(in: 5...255)) }
        return (policy, try node.optional("scheme")?.choice(PINPadScheme.self) ?? standard.scheme)
    }
}
