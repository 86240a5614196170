public import Printing
import Text

/// Renders a receipt as commands for a receipt printer.
///
/// A line is sent as text when one of the printer's code pages contains all its characters, and as a raster image
/// otherwise; cairo and Pango are loaded only for that.
public struct ESCPOSRenderer: Sendable {
    public let family: PrinterFamily
    public let locale: ReceiptLocale
    private let layout: LineLayout

    /// `width`: the columns of the printer's built-in font, limited to 24...80.
    public init(family: PrinterFamily, width: Int, locale: ReceiptLocale) {
        (self.family, self.locale) = (family, locale)
        layout = LineLayout(width: width)
    }

    /// - Parameters:
    ///   - blocks: The blocks from the composer.
    ///   - cut: How to cut at the end of the receipt.
    ///   - opensDrawer: Whether to open the drawer before printing.
    /// - Returns: The bytes for the printer.
    /// - Throws: ``ReceiptError`` when a line or image cannot be drawn.
    public func render(
        _ blocks: [ReceiptBlock], cut: PaperCut = .partial, opensDrawer: Bool = false
    ) throws(ReceiptError) -> RenderedReceipt {
        try render(job: [blocks], cut: cut, opensDrawer: opensDrawer)
    }

    /// Renders several receipts, such as both copies of one, as one job.
    ///
    /// - Parameters:
    ///   - receipts: The blocks of each receipt, from the composer.
    ///   - cut: How to cut at the end of each receipt.
    ///   - opensDrawer: Whether to open the drawer before printing.
    /// - Returns: The bytes for the printer.
    /// - Throws: ``ReceiptError`` when a line or image cannot be drawn.
    public func render(
        job receipts: [[ReceiptBlock]], cut: PaperCut = .partial, opensDrawer: Bool = false
    ) throws(ReceiptError) -> RenderedReceipt {
        var job = Job(renderer: self, cut: cut)
        if opensDrawer { job.bytes += family.drawerPulse }
        for blocks in receipts { for line in layout.lines(blocks) { try job.append(line) } }
        job.flush()
        return RenderedReceipt(bytes: job.bytes, missingGlyphs: job.raster?.missingGlyphs ?? 0)
    }

    /// The bytes so far, and the printer state that they set.
    private struct Job {
        /// The maximum number of dot rows per image, to limit memory in the program and the printer.
        private static let rowLimit = 2048

        let renderer: ESCPOSRenderer
        let cut: PaperCut
        var bytes: [UInt8]
        private(set) var raster: LineRaster?
        private var page: (page: CodePage, number: UInt8)?
        /// The current image: consecutive drawn lines are sent as one image.
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

        /// - Returns: False when no code page of the printer contains all characters of the line.
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
                // Isolates: the characters are already in visual order.
                case 0x2066...0x2069: continue
                // Spaces of other widths.
                case 0xA0, 0x2009, 0x202F: bytes.append(0x20)
                default:
                    guard let byte = page.byte(of: scalar) ?? page.byte(of: plain(scalar)) else { return nil }
                    bytes.append(byte)
                }
            }
            return bytes
        }

        /// Replaces typographic characters by ASCII characters of the same width.
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

/// How the paper is cut after a receipt.
public enum PaperCut: String, Hashable, Sendable, CaseIterable {
    /// Leaves one point uncut, so that the receipt does not fall.
    case partial
    case full
}
