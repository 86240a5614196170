import EMV
public import TillConfiguration

/// The terminal and its merchant, as messages to a host have them.
public struct AcquirerTerminal: Hashable, Sendable {
    /// Fields 41 and 42.
    public var identity: TerminalIdentity
    /// The name of the merchant in field 43.
    public var merchantName: String
    /// The city in field 43; empty for none.
    public var city: String
    /// The country in field 43, two or three letters by the width that the profile has for it.
    public var countryCodes: [String]
    /// The merchant's category (ISO 18245): field 18 of 1987, field 26 since 1993.
    public var category: UInt16
    /// The number of the acquirer in field 32; nil for none.
    public var acquirer: String?
    /// Whether a PIN can be entered.
    public var hasPINPad: Bool

    public init(
        identity: TerminalIdentity, merchantName: String, city: String = "", countryCodes: [String] = [],
        category: UInt16, acquirer: String? = nil, hasPINPad: Bool = true
    ) {
        (self.identity, self.merchantName, self.city) = (identity, merchantName, city)
        (self.countryCodes, self.category, self.acquirer) = (countryCodes, category, acquirer)
        self.hasPINPad = hasPINPad
    }

    /// Returns field 43: name, city, and country in columns of these widths. Nil when they are not three.
    func location(_ widths: [Int]) -> String? {
        guard widths.count == 3 else { return nil }
        let country = countryCodes.first { $0.utf8.count == widths[2] } ?? ""
        return zip([merchantName, city, country], widths).map { text, width in
            let part = String(text.prefix(width))
            return part + String(repeating: " ", count: width - part.count)
        }.joined()
    }
}

extension AcquirerTerminal {
    /// The terminal and the merchant of a configuration, with the numbers that they have at a host.
    public init(_ settings: TillConfiguration, at host: AcquirerSettings) {
        self.init(settings)
        identity = TerminalIdentity(
            terminal: host.terminal ?? identity.terminal, merchant: host.merchant ?? identity.merchant)
    }

    /// The terminal and the merchant of a configuration.
    public init(_ settings: TillConfiguration) {
        let terminal = settings.terminal
        let pads: TerminalCapabilities = [.plaintextOfflinePIN, .encipheredOnlinePIN, .encipheredOfflinePIN]
        self.init(
            identity: TerminalIdentity(
                terminal: terminal.terminalIdentification, merchant: terminal.merchantIdentifier),
            merchantName: terminal.merchantNameAndLocation.split(separator: ",").first.map(String.init) ?? "",
            city: settings.merchantCity,
            countryCodes: [CountryCode.shortText(terminal.country), CountryCode.text(terminal.country)]
                .compactMap(\.self),
            category: terminal.merchantCategory,
            // Without the setting, the number is that of no acquirer.
            acquirer: terminal.acquirer == TerminalConfiguration.standard.acquirer ? nil : "\(terminal.acquirer)",
            hasPINPad: !terminal.capabilities.isDisjoint(with: pads))
    }
}
