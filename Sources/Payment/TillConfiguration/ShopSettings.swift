import EMV
public import Payments
import Printing
import Settings

/// The section `merchant`.
struct MerchantSettings {
    var name: String
    var address: [String] = []
    var city = ""
    var id: String
    var categoryCode: UInt16
    var nameAndLocation: String

    static let keys = ["name", "address", "city", "id", "categoryCode", "nameAndLocation"]

    /// A nil node means that the file has no such section.
    init(_ node: SettingsNode?) throws(SettingsError) {
        let standard = TerminalConfiguration.standard
        (name, id) = (standard.merchantNameAndLocation, standard.merchantIdentifier)
        (categoryCode, nameAndLocation) = (standard.merchantCategory, standard.merchantNameAndLocation)
        guard let node else { return }

        try node.mapping(allowedKeys: Self.keys)
        if let node = try node.optional("name") { name = try node.line(length: 1...99) }
        for line in try node.optional("address")?.list(count: 0...10) ?? [] {
            address.append(try line.line(length: 1...99))
        }
        if let node = try node.optional("city") { city = try node.printable(length: 1...50) }
        if let node = try node.optional("id") { id = try node.printable(length: 1...15) }
        if let node = try node.optional("categoryCode") { categoryCode = UInt16(try node.int(in: 0...9999)) }
        if let given = try node.optional("nameAndLocation") {
            nameAndLocation = try given.printable(length: 1...99)
        } else {
            let whole = ([name] + address).joined(separator: ", ")
            guard whole.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw node.error(
                    "name and address must be ASCII for cards and hosts",
                    fix: "add 'nameAndLocation' with both in plain letters")
            }
            nameAndLocation = String(whole.prefix(99))
        }
    }
}

/// The connection to the store, and the storage of the login.
public struct StoreSettings: Hashable, Sendable {
    /// The storage of the credentials.
    public enum CredentialsPlace: String, Hashable, Sendable, CaseIterable {
        /// A file beside the database, readable by its owner only.
        case file
        /// The user's kernel keyring, until the machine restarts.
        case keyring
    }

    public let credentials: CredentialsPlace
    /// A file of trusted certificate authorities (PEM) that replaces the system's; nil for the system's.
    public let authorities: String?
    /// The timeout for establishing a connection.
    public let connectTimeout: Duration
    /// The maximum number of concurrent requests to the store, 1...16; nil for the program's default.
    public let connections: Int?

    private static let keys = ["credentials", "authorities", "connectTimeout", "connections"]

    /// Credentials in a file, the system's authorities, a timeout of ten seconds, the default number of connections.
    public init() {
        (credentials, authorities) = (.file, nil)
        (connectTimeout, connections) = (.seconds(10), nil)
    }

    init(_ node: SettingsNode?) throws(SettingsError) {
        let standard = StoreSettings()
        try node?.mapping(allowedKeys: Self.keys)
        credentials = try node?.optional("credentials")?.choice(CredentialsPlace.self) ?? standard.credentials
        authorities = try node?.optional("authorities")?.path()
        let seconds = try node?.optional("connectTimeout")?.int(in: 1...120)
        connectTimeout = seconds.map { .seconds($0) } ?? standard.connectTimeout
        connections = try node?.optional("connections")?.int(in: 1...16)
    }
}

/// The section `order`: the payment of a store's orders.
struct OrderSettings {
    /// Nil for what the store offers.
    let payment: OrderPaymentRoute?

    init(_ node: SettingsNode?) throws(SettingsError) {
        try node?.mapping(allowedKeys: ["payment"])
        payment = try node?.optional("payment")?.choice(OrderPaymentRoute.self)
    }
}

/// The list `printers`: the shop's receipt printers.
struct PrinterSettings {
    let printers: [ReceiptPrinter]

    private static let rowLimit = 50
    private static let keys = ["name", "address", "family", "columns", "status"]

    init(_ section: SettingsNode?) throws(SettingsError) {
        var printers: [ReceiptPrinter] = []
        for node in try section?.list(count: 0...Self.rowLimit) ?? [] {
            let printer = try Self.printer(node)
            guard !printers.contains(where: { $0.name == printer.name }) else {
                throw try node.required("name").error(
                    "duplicate printer", fix: "give one of them another name")
            }
            printers.append(printer)
        }
        self.printers = printers
    }

    private static func printer(_ node: SettingsNode) throws(SettingsError) -> ReceiptPrinter {
        try node.mapping(allowedKeys: keys)
        let name = try node.optional("name")?.printerName()
        let connection = try connection(node)
        let family = try node.optional("family")?.choice(PrinterFamily.self)
        let columns = try node.optional("columns")?.int(in: 24...80)
        return ReceiptPrinter(
            name: try node.required("name", name), connection: connection, family: family ?? .epson,
            columns: columns ?? ReceiptPrinter.standardColumns)
    }

    private static func connection(_ node: SettingsNode) throws(SettingsError) -> ReceiptPrinter.Connection {
        let status = try node.optional("status")
        guard let address = try node.optional("address") else {
            guard let status else { return .queue }
            throw status.error(
                "only the print server can query a print queue", fix: "remove 'status', or give the printer an address")
        }
        guard let place = PrinterAddress(try address.line(length: 1...300)) else {
            throw address.error(
                "not the address of a network printer",
                fix: "write socket://HOST or socket://HOST:PORT; a printer with a user or of another kind gets a queue")
        }
        return .network(place, answers: try status?.bool() ?? true)
    }
}

/// The section `receipt`: the style and the printer of receipts.
public struct ReceiptSettings: Hashable, Sendable {
    /// The paper of a receipt: a roll by its width, or a sheet. The words are those of the configuration.
    public enum Paper: String, Hashable, Sendable, CaseIterable {
        case roll58 = "58mm"
        case roll80 = "80mm"
        case a4
        case letter

        /// The columns of a printer's built-in font; for a sheet, the maximum columns of a receipt.
        var columns: Int {
            switch self {
            case .roll58: 32
            case .roll80: 48
            case .a4, .letter: 80
            }
        }
    }

    /// A PNG file, opened only when a receipt is rendered. Nil for none.
    public let logo: String?
    /// Lines above everything else except the logo.
    public let header: [String]
    /// Lines at the end.
    public let footer: [String]
    public let language: ReceiptLanguage
    /// The languages among which a card chooses (5F2D); empty if every receipt is in ``language``.
    public let languages: [ReceiptLanguage]
    public let paper: Paper
    /// The columns of text, 24...80: as configured, otherwise those of the configured paper, otherwise 40.
    public let columns: Int
    /// The form of the payment's name for scanners.
    public let code: ReceiptCode
    /// The region whose rules apply.
    public let region: ReceiptRegion
    /// The queue or printer for receipts; nil for the print server's default.
    public let printer: String?
    /// The sender of e-mailed receipts, for example `Corner Shop <till@shop.example>`; nil when not configured.
    public let sender: String?

    private static let keys = [
        "logo", "header", "footer", "locale", "languages", "paper", "width", "code", "region", "printer", "sender",
    ]

    /// English on 80 mm paper, with a QR code, without a logo or lines of the shop, and with the rules of the
    /// terminal's country (ISO 3166-1, numeric).
    public init(country: UInt16) {
        (logo, header, footer, language, languages) = (nil, [], [], .english, [])
        (paper, columns, code, region) = (.roll80, 40, .qr, ReceiptRegion(country: country))
        (printer, sender) = (nil, nil)
    }

    init(_ node: SettingsNode?, country: UInt16) throws(SettingsError) {
        let standard = ReceiptSettings(country: country)
        try node?.mapping(allowedKeys: Self.keys)
        logo = try node?.optional("logo")?.path()
        header = try Self.lines(try node?.optional("header"))
        footer = try Self.lines(try node?.optional("footer"))
        language = try node?.optional("locale")?.choice(ReceiptLanguage.self) ?? standard.language
        var languages: [ReceiptLanguage] = []
        for node in try node?.optional("languages")?.list(count: 0...ReceiptLanguage.allCases.count) ?? [] {
            let language = try node.choice(ReceiptLanguage.self)
            guard !languages.contains(language) else { throw node.error("'\(language.rawValue)' is listed twice") }
            languages.append(language)
        }
        self.languages = languages
        let paper = try node?.optional("paper")?.choice(Paper.self)
        self.paper = paper ?? standard.paper
        columns = try node?.optional("width")?.int(in: 24...80) ?? paper?.columns ?? standard.columns
        code = try node?.optional("code")?.choice(ReceiptCode.self) ?? standard.code
        region = try node?.optional("region")?.choice(ReceiptRegion.self) ?? standard.region
        printer = try node?.optional("printer")?.printerName()
        sender = try node?.optional("sender")?.line(length: 1...320)
    }

    private static func lines(_ node: SettingsNode?) throws(SettingsError) -> [String] {
        var lines: [String] = []
        for line in try node?.list(count: 0...20) ?? [] { lines.append(try line.line(length: 1...200)) }
        return lines
    }
}
