internal import Files
internal import Hardware
internal import Receipts

extension ReceiptStyle {
    /// What the configuration wants of receipts. Opens the logo's file, so this is for when one is rendered.
    ///
    /// - Parameters:
    ///   - settings: the section `receipt`.
    ///   - hasPictures: whether what is rendered can show a logo; text cannot.
    init(_ settings: ReceiptSettings, hasPictures: Bool = true) throws(CommandFailure) {
        let paper: PaperSize =
            switch settings.paper {
            case .roll58: .roll58
            case .roll80: .roll80
            case .a4: .a4
            case .letter: .letter
            }
        self.init(
            logo: hasPictures ? try settings.logo.map(ReceiptLogo.open) : nil, header: settings.header,
            footer: settings.footer, locale: ReceiptLocale(settings.language), paper: paper,
            columns: settings.columns, code: settings.code, region: settings.region)
    }
}

extension ReceiptLogo {
    /// Reads a PNG file.
    static func open(_ path: String) throws(CommandFailure) -> ReceiptLogo {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.contents(path, atMost: byteLimit + 1)
        } catch {
            throw CommandFailure(.badData, code: "logo_unreadable", message: "'\(path)' cannot be read: \(error)")
        }
        do throws(ReceiptError) {
            return try ReceiptLogo(png: bytes)
        } catch {
            throw CommandFailure(
                .badData, code: "bad_logo", message: "'\(path)': \(error)",
                fix: "give a PNG picture of at most \(sideLimit) pixels a side")
        }
    }
}
