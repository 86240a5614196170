public import Hardware

/// What a shop wants of all its receipts: the same for every payment, and no part of what is kept of one.
public struct ReceiptStyle: Hashable, Sendable {
    public var logo: ReceiptLogo?
    /// Lines above everything else but the logo.
    public var header: [String]
    /// Lines at the end.
    public var footer: [String]
    public var locale: ReceiptLocale
    public var paper: PaperSize
    /// Columns of text and of a receipt printer's own letters, 24...80; nil for those of the paper.
    public var columns: Int?
    /// How the payment's name stands there for a scanner.
    public var code: ReceiptCode
    /// Where the till stands.
    public var region: ReceiptRegion

    /// English on a roll of 80 mm, with a QR code and nothing of the shop's own.
    public init(
        logo: ReceiptLogo? = nil, header: [String] = [], footer: [String] = [], locale: ReceiptLocale = .english,
        paper: PaperSize = .roll80, columns: Int? = nil, code: ReceiptCode = .qr, region: ReceiptRegion = .other
    ) {
        (self.logo, self.header, self.footer, self.locale) = (logo, header, footer, locale)
        (self.paper, self.columns, self.code, self.region) = (paper, columns, code, region)
    }
}
