import EMV
public import Money
import Payments
public import Settings

/// The settings that every shop has to decide about, as a configuration file with comments for the rest.
///
/// The reader and the store are not settings: a payment names its reader, and a sign-in the store. The file has the
/// commands for them as comments.
public struct StarterConfiguration: Hashable, Sendable {
    /// The merchant, printed at the top of every receipt.
    public var merchantName: String
    /// The merchant for cards and hosts, in printable ASCII; nil when ``merchantName`` is.
    public var plainName: String?
    public var currency: Currency
    /// The printer for receipts; nil for the default printer.
    public var printer: String?
    /// The command that takes a payment with the shop's reader.
    public var paymentCommand: String
    /// The command that signs in to the shop's store, or to an example.
    public var loginCommand: String

    /// The values of a till without a file, with a simulated reader and without a store.
    public static let standard = StarterConfiguration(
        merchantName: TillConfiguration.standard.merchant.name, currency: TillConfiguration.standard.currency,
        paymentCommand: "cardpresent pay 12.50 --reader simulated",
        loginCommand: "cardpresent login https://shop.example --username NAME")

    /// - Parameters: See the properties.
    public init(
        merchantName: String, plainName: String? = nil, currency: Currency, printer: String? = nil,
        paymentCommand: String, loginCommand: String
    ) {
        (self.merchantName, self.plainName, self.currency, self.printer) = (merchantName, plainName, currency, printer)
        (self.paymentCommand, self.loginCommand) = (paymentCommand, loginCommand)
    }

    /// Whether cards and hosts can't have the merchant's name, because it has other characters than printable ASCII.
    public var needsPlainName: Bool { !merchantName.utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// Checks the values as a till does that reads the file.
    ///
    /// - Throws: `SettingsError` with the key of the first wrong value.
    public func check() throws(SettingsError) { _ = try TillConfiguration(yaml: yaml, file: "the answers") }

    /// The configuration file.
    public var yaml: String {
        ([
            SettingComment.file, "# 'cardpresent config show' prints all values, and 'config check' finds mistakes.",
        ] + merchantText + terminalText + ["", SettingComment.currency, "currency: \(currency.code)"] + receiptText
            + readerText + storeText)
            .joined(separator: "\n") + "\n"
    }

    private var merchantText: [String] {
        let plain = plainName.map {
            ["  nameAndLocation: \(TillConfiguration.quoted($0))  \(SettingComment.nameAndLocation)"]
        }
        return [
            "", SettingComment.merchant, "merchant:",
            "  name: \(TillConfiguration.quoted(merchantName))  \(SettingComment.merchantName)",
        ] + (plain ?? []) + [
            "  # address: [1 High Street, Springfield]  # below the name",
            "  # id: \(TillConfiguration.quoted(TillConfiguration.standard.merchant.merchantID))  "
                + SettingComment.merchantID,
        ]
    }

    private var terminalText: [String] {
        let standard = TerminalConfiguration.standard
        return [
            "", SettingComment.terminal, "# terminal:",
            "#   id: \(TillConfiguration.quoted(standard.terminalIdentification))  \(SettingComment.terminalID)",
            "#   country: \(CountryCode.text(standard.country))  \(SettingComment.country)",
        ]
    }

    private var receiptText: [String] {
        let heading = ["", SettingComment.receipt]
        guard let printer else {
            return heading + [SettingComment.noPrinter, "# receipt:", "#   printer: receipts"]
        }
        return heading + ["receipt:", "  printer: \(TillConfiguration.quoted(printer))"]
    }

    private var readerText: [String] {
        ["", "# The reader is not a setting: a payment names it.", "#   \(Self.comment(paymentCommand))"]
    }

    private var storeText: [String] {
        [
            "", "# The store is not a setting: a sign-in names it. Only payments of its orders need one.",
            "#   \(Self.comment(loginCommand))",
        ]
    }

    /// The text without anything that could end a comment.
    private static func comment(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.breaksLine ? " " : $0 }))
    }
}

/// The comments about settings in every configuration file that the program writes.
enum SettingComment {
    static let file = "# The till's configuration. Every key may be left out; docs/configuration.md explains each key."
    static let merchant = "# The merchant."
    static let merchantName = "# top of every receipt"
    static let merchantID = "# tag 9F16, DE 42"
    static let nameAndLocation = "# tag 9F4E"
    static let terminal = "# The terminal and its capabilities."
    static let terminalID = "# tag 9F1C, DE 41"
    static let country = "# tag 9F1A, ISO 3166"
    static let currency = "# The default currency, also for floor limits."
    static let receipt = "# The style and the printer of receipts."
    static let noPrinter = "# No printer: the default printer."
}
