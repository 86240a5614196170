public import Hardware

/// A receipt as the bytes that a receipt printer obeys.
///
/// A line is sent as letters when a table of the printer has all of them, and drawn as dots when not; cairo and Pango are
/// opened only for that.
public struct ESCPOSRenderer: Sendable {
    public let family: PrinterFamily
    public let locale: ReceiptLocale
    private let layout: LineLayout

    /// `width`: columns of the printer's own letters, limited to 24...80.
    public init(family: PrinterFamily, width: Int, locale: ReceiptLocale) {
        (self.family, self.locale) = (family, locale)
        layout = LineLayout(width: width)
    }

    /// - Parameters:
    ///   - blocks: of the composer.
    ///   - cut: at the end of the receipt.
    ///   - opensDrawer: whether the drawer is opened before anything is printed.
    /// - Returns: what is sent to the printer.
    /// - Throws: ``ReceiptError`` when something must be drawn and cannot be.
    public func render(
        _ blocks: [ReceiptBlock], cut: PaperCut = .partial, opensDrawer: Bool = false
    ) throws(ReceiptError) -> RenderedReceipt {
        try render(job: [blocks], cut: cut, opensDrawer: opensDrawer)
    }

    /// Several receipts, such as both copies of one, as one job.
    ///
    /// - Parameters:
    ///   - receipts: the blocks of each, of the composer.
    ///   - cut: at the end of each receipt.
    ///   - opensDrawer: whether the drawer is opened before anything is printed.
    /// - Returns: what is sent to the printer.
    /// - Throws: ``ReceiptError`` when something must be drawn and cannot be.
    public func render(
        job receipts: [[ReceiptBlock]], cut: PaperCut = .partial, opensDrawer: Bool = false
    ) throws(ReceiptError) -> RenderedReceipt {
        var job = Job(renderer: self, cut: cut)
        if opensDrawer { job.bytes += family.drawerPulse }
        for blocks in receipts { for line in layout.lines(blocks) { try job.append(line) } }
        job.flush()
        return RenderedReceipt(bytes: job.bytes, missingGlyphs: job.raster?.missingGlyphs ?? 0)
    }

    /// What was sent so far, and what the printer is set to by it.
    private struct Job {
        /// So many rows of dots are sent at once, that no printer and no memory overflows.
        private static let rowLimit = 2048

        let renderer: ESCPOSRenderer
        let cut: PaperCut
        var bytes: [UInt8]
        private(set) var raster: LineRaster?
        private var page: (page: CodePage, number: UInt8)?
        /// Lines drawn one after the other are sent as one.
        private var dots: DotImage?

        init(renderer: ESCPOSRenderer, cut: PaperCut) {
            (self.renderer, self.cut) = (renderer, cut)
            bytes = renderer.family.start
        }

        private var family: PrinterFamily { renderer.family }

        /// In dots.
        private var width: Int { renderer.layout.width * LineRaster.columnDots }

        mutating func append(_ line: ReceiptLine) throws(ReceiptError) {
            switch line {
            case .text(let text, let alignment, let style):
                if try appendLetters(line, style) { return }
                add(try lineRaster().draw(text, alignment, style))
            case .pair(let name, let value, let style):
                if try appendLetters(line, style) { return }
                add(try lineRaster().draw(name, value, style))
            case .logo(let logo): add(try lineRaster().draw(logo))
            case .code(let text):
                flush()
                let data = Array(text.utf8)
                let dots = try QRCode.dotsPerModule(bytes: data.count, width: width)
                bytes += family.centered(true) + family.code(data, dotsPerModule: dots) + family.centered(false)
            case .barcode(let text):
                flush()
                let dots = try Code128.dotsPerModule(in: text, width: width)
                bytes +=
                    family.centered(true) + family.barcode(Array(text.utf8), dotsPerModule: dots)
                    + family.centered(false)
            case .cut:
                flush()
                bytes += family.cut(cut)
            }
        }

        mutating func flush() {
            if let dots { bytes += family.raster(dots) }
            dots = nil
        }

        private mutating func add(_ image: DotImage) {
            if dots == nil { dots = image } else { dots?.rows += image.rows }
            if let dots, dots.height >= Self.rowLimit { flush() }
        }

        private mutating func lineRaster() throws(ReceiptError) -> LineRaster {
            if let raster { return raster }
            let made = try LineRaster(columns: renderer.layout.width, locale: renderer.locale)
            raster = made
            return made
        }

        /// - Returns: false when no table of the printer has all letters of the line.
        private mutating func appendLetters(
            _ line: ReceiptLine, _ style: ReceiptLine.Style
        ) throws(ReceiptError) -> Bool {
            guard let text = line.columns(renderer.layout.width, isMirrored: renderer.locale.isRightToLeft) else {
                return false
            }
            var encoded = page.flatMap { Self.encode(text, $0.page) }
            var change: [UInt8] = []
            if encoded == nil {
                for candidate in family.codePages where candidate.number != page?.number {
                    guard let found = Self.encode(text, candidate.page) else { continue }
                    (encoded, page) = (found, candidate)
                    change = family.select(candidate.number)
                    break
                }
            }
            guard let encoded else { return false }
            flush()
            bytes += change
            switch style {
            case .plain: bytes += encoded + [0x0A]
            case .strong: bytes += family.strong(true) + encoded + [0x0A] + family.strong(false)
            case .large:
                bytes +=
                    family.strong(true) + family.tall(true) + encoded + [0x0A] + family.tall(false)
                    + family.strong(false)
            }
            return true
        }

        private static func encode(_ text: String, _ page: CodePage) -> [UInt8]? {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.utf8.count)
            for scalar in text.unicodeScalars {
                switch scalar.value {
                // Isolates: the order of these letters is that of the paper already.
                case 0x2066...0x2069: continue
                // Blanks of other widths.
                case 0xA0, 0x2009, 0x202F: bytes.append(0x20)
                default:
                    guard let byte = page.byte(of: scalar) ?? page.byte(of: plain(scalar)) else { return nil }
                    bytes.append(byte)
                }
            }
            return bytes
        }

        /// Marks of print shops as typewriters have them, of the same width.
        private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
            switch scalar {
            case "\u{2018}", "\u{2019}": "'"
            case "\u{201C}", "\u{201D}": "\""
            case "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2212}": "-"
            case "×": "x"
            default: scalar
            }
        }
    }
}
