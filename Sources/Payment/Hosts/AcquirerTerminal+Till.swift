internal import EMV
public import TillConfiguration

extension AcquirerTerminal {
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
