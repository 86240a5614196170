internal import Files
public import Hardware
public import Receipts

extension ReceiptStyle {
    /// What the configuration wants of receipts, but for the logo: its file is opened by ``ReceiptSettings/openLogo()``
    /// when a receipt is drawn, so that a payment never fails because of a picture.
    public init(_ settings: ReceiptSettings) {
        let paper: PaperSize =
            switch settings.paper {
            case .roll58: .roll58
            case .roll80: .roll80
            case .a4: .a4
            case .letter: .letter
            }
        self.init(
            header: settings.header, footer: settings.footer, locale: ReceiptLocale(settings.language), paper: paper,
            columns: settings.columns, code: settings.code, region: settings.region)
    }
}

extension ReceiptSettings {
    /// The shop's logo; nil when it has none.
    ///
    /// - Throws: ``ReceiptError/logoUnusable(path:reason:)``
    public func openLogo() throws(ReceiptError) -> ReceiptLogo? {
        guard let logo else { return nil }
        return try ReceiptLogo(path: logo)
    }
}

extension ReceiptLogo {
    /// Reads a PNG file.
    ///
    /// - Throws: ``ReceiptError/logoUnusable(path:reason:)``
    public init(path: String) throws(ReceiptError) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.contents(path, atMost: Self.byteLimit + 1)
        } catch {
            throw .logoUnusable(path: path, reason: error.description)
        }
        do throws(ReceiptError) {
            try self.init(png: bytes)
        } catch {
            throw .logoUnusable(path: path, reason: error.description)
        }
    }
}
