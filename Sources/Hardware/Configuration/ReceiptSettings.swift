internal import SettingsFile

/// The section `receipt`: what a shop wants of its receipts, and where they come out.
public struct ReceiptSettings: Hashable, Sendable {
    public enum Paper: String, Hashable, Sendable, CaseIterable {
        case roll58 = "58mm"
        case roll80 = "80mm"
        case a4
        case letter

        /// The columns of a printer's own letters; those of a sheet are the most that a receipt has.
        var columns: Int {
            switch self {
            case .roll58: 32
            case .roll80: 48
            case .a4, .letter: 80
            }
        }
    }

    /// A PNG file; it is opened when a receipt is drawn, and not before. Nil for none.
    public let logo: String?
    /// Lines above everything else but the logo.
    public let header: [String]
    /// Lines at the end.
    public let footer: [String]
    public let language: ReceiptLanguage
    public let paper: Paper
    /// Columns of text, 24...80: as the file says, else those of the paper that it names, else 40.
    public let columns: Int
    /// How the payment's name stands there for a scanner.
    public let code: ReceiptCode
    /// Whose rules count.
    public let region: ReceiptRegion
    /// The queue or printer for receipts; nil for the print server's own default.
    public let printer: String?
    /// Who e-mailed receipts come from, for example `Corner Shop <till@shop.example>`; nil when the file does not say.
    public let sender: String?

    private static let keys = [
        "logo", "header", "footer", "locale", "paper", "width", "code", "region", "printer", "sender",
    ]

    /// English on 80 mm paper, with a QR code and nothing of the shop's own, by the rules of the terminal's country (ISO
    /// 3166-1, numeric).
    public init(country: UInt16) {
        (logo, header, footer, language) = (nil, [], [], .english)
        (paper, columns, code, region) = (.roll80, 40, .qr, ReceiptRegion(country: country))
        (printer, sender) = (nil, nil)
    }

    init(_ node: SettingsNode?, country: UInt16) throws(SettingsError) {
        let standard = ReceiptSettings(country: country)
        try node?.mapping(allowedKeys: Self.keys)
        logo = try node?.optional("logo").map(Self.path)
        header = try Self.lines(try node?.optional("header"))
        footer = try Self.lines(try node?.optional("footer"))
        language = try node?.optional("locale")?.choice(ReceiptLanguage.self) ?? standard.language
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

    /// A relative name starts at the directory of the configuration.
    private static func path(_ node: SettingsNode) throws(SettingsError) -> String {
        let name = try node.line(length: 1...1024)
        guard !name.hasPrefix("/"), let slash = node.location.file.lastIndex(of: "/") else { return name }
        return node.location.file[...slash] + name
    }
}
