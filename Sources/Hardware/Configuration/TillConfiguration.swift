public import Amounts
public import CCID
public import EMV
public import Experiments
public import SettingsFile

/// Everything that a shop says about its till: who sells, what the terminal is and may do, which
/// applications it takes, and where receipts come out.
///
/// It is read from a YAML file, in which every key may be left out. An unknown key, a value out of its range
/// or a value of the wrong kind is an error with its line and its key.
public struct TillConfiguration: Hashable, Sendable {
    /// The head of every receipt.
    public let merchant: Merchant
    /// The terminal as payments in ``currency`` see it. For a payment, ask ``terminal(for:)``.
    public let terminal: TerminalConfiguration
    /// The same terminal without floor limits, which are amounts of ``currency``.
    let terminalForOtherCurrencies: TerminalConfiguration
    /// How a PIN for the issuer is enciphered.
    public let pinPadScheme: PINPadScheme
    /// What is done about magnetic stripes.
    public let magneticStripe: MagneticStripePolicy
    /// What people call the applications, by AID. Not every application has a name.
    public let applicationNames: [[UInt8]: String]
    /// The currency of amounts for which none is given, and of the floor limits.
    public let currency: Currency
    /// The largest payment in each currency that is taken, ``currency`` among them; empty when every currency
    /// is taken and no amount is too large.
    public let maximumAmounts: [Money]
    /// What receipts look like, and where they come out.
    public let receipt: ReceiptSettings
    /// What is known of the shop's receipt printers.
    public let printers: [ReceiptPrinter]
    /// Who authorises payments.
    public let host: PaymentHostChoice
    /// What is known of readers: the rows that come with the driver, and the shop's own behind them.
    public let readerQuirks: ReaderQuirkTable
    /// The firmware files that the shop has for its readers.
    public let readerFirmware: ReaderFirmwareCatalogue
    /// How long an offline payment counts when the same card pays again.
    public let splitSaleWindow: SplitSaleWindow
    /// What is done when the connected reader is lost.
    public let reconnection: ReconnectionPolicy
    /// How the store is reached.
    public let store: StoreSettings
    /// What is said of features.
    public let features: FeatureOverrides

    /// The till of somebody who wrote no file: ``EMV/TerminalConfiguration/standard``, US dollars, no largest
    /// amount, receipts of 40 columns on the default printer, the simulated host.
    public init() {
        let terminal = TerminalConfiguration.standard
        merchant = Merchant(
            name: terminal.merchantNameAndLocation, merchantID: terminal.merchantIdentifier,
            terminalID: terminal.terminalIdentification)
        (self.terminal, terminalForOtherCurrencies) = (terminal, terminal)
        pinPadScheme = Self.standardPINPadScheme
        magneticStripe = MagneticStripePolicy()
        applicationNames = StandardApplicationNames.byAID
        (currency, maximumAmounts) = (.usDollar, [])
        (receipt, host) = (ReceiptSettings(country: terminal.country), .simulated)
        printers = []
        (readerQuirks, readerFirmware) = (.embedded, ReaderFirmwareCatalogue())
        (splitSaleWindow, reconnection) = (.day, ReconnectionPolicy())
        (store, features) = (StoreSettings(), FeatureOverrides())
    }

    static let standardPINPadScheme = PINPadScheme.tdes

    /// See ``init()``.
    public static let standard = TillConfiguration()

    /// Reads a configuration from text.
    ///
    /// - Parameters:
    ///   - text: YAML.
    ///   - file: the name that errors give, and from whose directory the files that it names are looked for.
    /// - Throws: ``SettingsFile/SettingsError``
    public init(yaml text: String, file: String) throws(SettingsError) {
        try self.init(try SettingsDocument(text: text, file: file).root)
    }

    /// Reads a configuration file, and the files of keys and revocations that it names.
    ///
    /// - Throws: ``SettingsFile/SettingsError``, also when the file cannot be read.
    public static func load(path: String) throws(SettingsError) -> TillConfiguration {
        try TillConfiguration(try SettingsDocument(path: path).root)
    }

    /// The terminal for a payment in `currency`. In another currency than the till's own, a floor limit is no
    /// amount to compare with, so every floor limit is zero there and every payment asks the issuer.
    public func terminal(for currency: Currency) -> TerminalConfiguration {
        currency == self.currency ? terminal : terminalForOtherCurrencies
    }

    /// Columns of receipts as text, 24...80.
    public var receiptWidth: Int { receipt.columns }

    /// The print queue for receipts; nil for CUPS's own default.
    public var printer: String? { receipt.printer }

    /// Refuses what is above the largest amount.
    ///
    /// - Parameter amount: of a payment, tip and cashback included.
    /// - Throws: ``AmountLimitError``
    public func check(_ amount: Money) throws(AmountLimitError) {
        guard !maximumAmounts.isEmpty else { return }
        guard let maximum = maximumAmounts.first(where: { $0.currency == amount.currency }) else {
            throw .currencyNotTaken(amount.currency, taken: maximumAmounts.map(\.currency))
        }
        guard amount.minorUnits <= maximum.minorUnits else { throw .aboveMaximum(amount, maximum: maximum) }
    }
}
