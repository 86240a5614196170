public import CCID
public import ContactlessKernel8
public import EMV
public import Hardware
public import Money
public import Payments
public import Printing
public import Settings

/// The configuration of a till: the merchant, the terminal and its applications, the readers, the receipts, and the
/// store.
///
/// It is read from a YAML file, in which every key is optional. An unknown key, a value out of range, or a value of the
/// wrong type is an error with its line and key.
public struct TillConfiguration: Hashable, Sendable {
    /// The merchant, printed at the top of every receipt.
    public let merchant: Merchant
    /// The merchant's city for hosts; empty when it is not configured.
    public let merchantCity: String
    /// The terminal for payments in ``currency``. For a payment, call ``terminal(for:)``.
    public let terminal: TerminalConfiguration
    /// The same terminal without floor limits, which are amounts in ``currency``.
    let terminalForOtherCurrencies: TerminalConfiguration
    /// How a PIN for the issuer is enciphered.
    public let pinPadScheme: PINPadScheme
    /// The policy for magnetic stripes.
    public let magneticStripe: MagneticStripePolicy
    /// The limits of kernel 8 for the times of a card's answers; nil without relay resistance.
    public let relayResistance: RelayResistanceRules?
    /// The limits for tapped cards.
    public let contactlessPolicy: ContactlessPolicy
    /// The names of applications, by AID. An application may have no name.
    public let applicationNames: [[UInt8]: String]
    /// The currency of amounts without one, and of the floor limits.
    public let currency: Currency
    /// The maximum payment in each accepted currency, including ``currency``; empty when every currency and amount is
    /// accepted.
    public let maximumAmounts: [Money]
    /// The style and the printer of receipts.
    public let receipt: ReceiptSettings
    /// The configured receipt printers.
    public let printers: [ReceiptPrinter]
    /// The payment host that authorizes payments.
    public let host: PaymentHostChoice
    /// The other payment hosts, in the order of the file; empty for one host only.
    public let otherHosts: [NamedAcquirer]
    /// Which payments go to which host.
    public let routing: HostRouting
    /// The days after which the issuer may give free what a pre-authorization holds.
    public let preauthorizationDays: Int
    /// Whether an approved increment begins those days again.
    public let incrementRenewsHold: Bool
    /// The quirks of readers: the driver's rows, then the shop's own.
    public let readerQuirks: ReaderQuirkTable
    /// The shop's firmware files for its readers.
    public let readerFirmware: ReaderFirmwareCatalog
    /// How long an offline payment counts when the same card pays again.
    public let splitSaleWindow: SplitSaleWindow
    /// The policy for a lost reader.
    public let reconnection: ReconnectionPolicy
    /// The connection to the store.
    public let store: StoreSettings
    /// How orders become paid; nil for what the store offers: its gateway, or else the till.
    public let orderPayment: OrderPaymentRoute?
    /// The enabled and disabled features.
    public let features: FeatureOverrides

    /// The configuration without a file: ``EMV/TerminalConfiguration/standard``, US dollars, no maximum amount,
    /// receipts of 40 columns on the default printer, the simulated host.
    public init() {
        let terminal = TerminalConfiguration.standard
        merchant = Merchant(
            name: terminal.merchantNameAndLocation, merchantID: terminal.merchantIdentifier,
            terminalID: terminal.terminalIdentification)
        merchantCity = ""
        (self.terminal, terminalForOtherCurrencies) = (terminal, terminal)
        pinPadScheme = Self.standardPINPadScheme
        (magneticStripe, relayResistance) = (MagneticStripePolicy(), nil)
        contactlessPolicy = ContactlessPolicy()
        applicationNames = StandardApplicationNames.byAID
        (currency, maximumAmounts) = (.usDollar, [])
        (receipt, host) = (ReceiptSettings(country: terminal.country), .simulated)
        (preauthorizationDays, incrementRenewsHold) = (Self.standardPreauthorizationDays, false)
        (otherHosts, routing) = ([], HostRouting())
        printers = []
        (readerQuirks, readerFirmware) = (.embedded, ReaderFirmwareCatalog())
        (splitSaleWindow, reconnection) = (.day, ReconnectionPolicy())
        (store, orderPayment, features) = (StoreSettings(), nil, FeatureOverrides())
    }

    static let standardPINPadScheme = PINPadScheme.tdes
    static let standardPreauthorizationDays = 7

    /// See ``init()``.
    public static let standard = TillConfiguration()

    /// Reads a configuration from text.
    ///
    /// - Parameters:
    ///   - text: YAML.
    ///   - file: The file name for errors. Relative paths in the text are resolved against its directory.
    /// - Throws: ``SettingsFile/SettingsError``
    public init(yaml text: String, file: String) throws(SettingsError) {
        try self.init(try SettingsDocument(text: text, file: file).root)
    }

    /// Reads a configuration file, and the key and revocation files that it names.
    ///
    /// - Throws: ``SettingsFile/SettingsError``, also when the file cannot be read.
    public static func load(path: String) throws(SettingsError) -> TillConfiguration {
        try TillConfiguration(try SettingsDocument(path: path).root)
    }

    /// Returns the terminal for a payment in `currency`. Floor limits cannot be compared with amounts in another
    /// currency, so they are zero there, and every payment goes online.
    public func terminal(for currency: Currency) -> TerminalConfiguration {
        currency == self.currency ? terminal : terminalForOtherCurrencies
    }

    /// How long the issuer holds the amount of a pre-authorization.
    public var preauthorizationTime: Duration { .seconds(preauthorizationDays * 86_400) }

    /// The columns of text receipts, 24...80.
    public var receiptWidth: Int { receipt.columns }

    /// The printer for receipts; nil for the default of CUPS.
    public var printer: String? { receipt.printer }

    /// Checks that an amount is not above the maximum.
    ///
    /// - Parameter amount: The amount of a payment, including tip and cashback.
    /// - Throws: ``AmountLimitError``
    public func check(_ amount: Money) throws(AmountLimitError) {
        guard !maximumAmounts.isEmpty else { return }
        guard let maximum = maximumAmounts.first(where: { $0.currency == amount.currency }) else {
            throw .currencyNotTaken(amount.currency, taken: maximumAmounts.map(\.currency))
        }
        guard amount.minorUnits <= maximum.minorUnits else { throw .aboveMaximum(amount, maximum: maximum) }
    }
}

extension TillConfiguration {
    /// Returns the configuration file to read, following the XDG base directory specification.
    ///
    /// - Parameters:
    ///   - option: The value of `--config`. It is used unchecked, so that a missing file is an error.
    ///   - environment: The environment variables of the process. `CARDPRESENT_CONFIG` is used like the option, unless
    ///     it is empty.
    ///   - exists: Whether a path exists. It must be true for an unreadable file, or a shop would take payments with
    ///     the wrong configuration.
    /// - Returns: Nil when there is no file; then ``standard`` applies.
    public static func path(
        option: String?, environment: [String: String], exists: (String) -> Bool
    ) -> String? {
        if let named = option ?? environment["CARDPRESENT_CONFIG"], option != nil || !named.isEmpty { return named }
        return defaultPath(environment: environment).flatMap { exists($0) ? $0 : nil }
    }

    /// Returns the default path: `$XDG_CONFIG_HOME/cardpresent/cardpresent.yaml`, or
    /// `~/.config/cardpresent/cardpresent.yaml` when the variable is not set. A relative directory is ignored.
    ///
    /// - Returns: Nil when the environment does not define a directory.
    public static func defaultPath(environment: [String: String]) -> String? {
        func directory(_ variable: String) -> String? {
            guard let path = environment[variable], path.hasPrefix("/") else { return nil }
            return path.hasSuffix("/") ? String(path.dropLast()) : path
        }
        return (directory("XDG_CONFIG_HOME") ?? directory("HOME").map { $0 + "/.config" })
            .map { $0 + "/cardpresent/cardpresent.yaml" }
    }
}

/// Why a till does not accept an amount.
public enum AmountLimitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The amount is above the configured maximum.
    case aboveMaximum(Money, maximum: Money)
    /// The configuration has maximum amounts, but none for this currency.
    case currencyNotTaken(Currency, taken: [Currency])

    public var description: String {
        switch self {
        case .aboveMaximum(let amount, let maximum):
            "\(amount) is above this till's maximum of \(maximum): "
                + "check the amount, or raise 'maximumAmount' in the configuration"
        case .currencyNotTaken(let currency, let taken):
            "this till does not accept payments in \(currency.code), only in "
                + "\(taken.map(\.code).joined(separator: ", ")): add a 'maximumAmount' for \(currency.code) to the configuration"
        }
    }
}

/// How the terminal's PIN pad enciphers a PIN for the issuer.
public enum PINPadScheme: String, Hashable, Sendable, CaseIterable {
    /// ISO format 0 blocks under triple DES DUKPT (ISO 9564-1, ANSI X9.24-1).
    case tdes
    /// ISO format 4 blocks under AES DUKPT (ISO 9564-1, ANSI X9.24-3).
    case aes
}
