import CCairo

/// Lays out blocks on a paper size, from top to bottom.
final class BlockSetter {
    private static let style = Typesetter.Style(
        families: "DejaVu Sans, Noto Sans, sans-serif", isForDots: false, leading: 1.36)
    /// In points.
    private static let ruleWidth = 0.6

    private let functions: ccairo_functions
    private let typesetter: Typesetter
    private let isMirrored: Bool
    private let paper: PaperSize
    /// The width of the current column, in points.
    private var width: Double
    /// The logo, decoded once for many receipts; a PDF file then contains it only once.
    private var logo: DecodedLogo?

    var missingGlyphs: Int { typesetter.missingGlyphs }

    init(_ functions: ccairo_functions, locale: ReceiptLocale, paper: PaperSize, fonts: Typesetter.Fonts) {
        typesetter = Typesetter(functions, locale: locale, style: Self.style, fonts: fonts)
        (self.functions, self.paper, isMirrored) = (functions, paper, locale.isRightToLeft)
        width = paper.printableWidth
    }

    /// Whether the receipt is laid out for a page: in columns, with texts at the start of the line.
    private var isSheet: Bool { paper.height != nil }
    private var center: SetText.Alignment { isSheet ? start : .center }
    private var size: Double { paper.textSize }
    private var start: SetText.Alignment { isMirrored ? .right : .left }
    private var end: SetText.Alignment { isMirrored ? .left : .right }

    /// Returns the page blocks of a receipt.
    ///
    /// - Throws: ``ReceiptError``
    func pieces(_ blocks: [ReceiptBlock]) throws(ReceiptError) -> [PageBlock] {
        var pieces: [PageBlock] = []
        pieces.reserveCapacity(blocks.count)
        for block in isSheet ? blocks : blocks.stacked {
            if case .beside(let first, let second) = block {
                pieces += try columns(first, second)
            } else if let piece = try piece(block) {
                pieces.append(piece)
            }
        }
        return pieces
    }

    /// Lays out two short texts at both ends of a line.
    func ends(_ first: String, _ last: String) -> PageBlock {
        line(typesetter.set(first, size: size * 0.8), typesetter.set(last, size: size * 0.8))
    }

    private func piece(_ block: ReceiptBlock) throws(ReceiptError) -> PageBlock? {
        switch block {
        case .logo(let logo): return try picture(logo)
        case .title(let text): return centered(text, size: size * 1.5, isStrong: true)
        case .text(let text, .center, let isStrong): return centered(text, size: size, isStrong: isStrong)
        case .text(let text, .leading, let isStrong): return indented(text, isStrong)
        case .row(let name, let value, let isStrong):
            return row(name, value, size: isStrong ? size * 1.25 : size, isStrong)
        case .rule: return rule()
        case .code(let text): return try code(QRCode(text))
        case .barcode(let text): return try barcode(text)
        case .signature(let label): return signature(label)
        case .space: return PageBlock(height: size * 0.8, pageBreak: .instead) { _, _, _ in }
        // `pieces` lays them out.
        case .cut, .beside: return nil
        }
    }

    /// Lays out two groups side by side. Groups that are longer than a page follow each other, so that they can break.
    private func columns(
        _ first: [ReceiptBlock], _ second: [ReceiptBlock]
    ) throws(ReceiptError) -> [PageBlock] {
        let whole = width
        width = (whole - PaperSize.columnGap) / 2
        defer { width = whole }
        let groups = (try column(first), try column(second))
        let height = max(Self.height(of: groups.0), Self.height(of: groups.1))
        guard height <= (paper.height ?? .infinity) - 2 * paper.margin else { return groups.0 + groups.1 }
        let other = width + PaperSize.columnGap
        let (left, right) = isMirrored ? (groups.1, groups.0) : groups
        return [
            PageBlock(height: height) { context, x, y in
                for (group, x) in [(left, x), (right, x + other)] {
                    var y = y
                    for piece in group {
                        piece.draw(context, x, y)
                        y += piece.height
                    }
                }
            }
        ]
    }

    /// Lays out a group without the space that separates it from the group above on a roll.
    private func column(_ blocks: [ReceiptBlock]) throws(ReceiptError) -> [PageBlock] {
        try pieces(Array(blocks.drop { $0 == .space }))
    }

    private static func height(of pieces: [PageBlock]) -> Double { pieces.reduce(0) { $0 + $1.height } }

    private func centered(_ text: String, size: Double, isStrong: Bool) -> PageBlock {
        let (text, width, center) = (typesetter.set(text, size: size, isStrong: isStrong, width: width), width, center)
        return PageBlock(height: text.height) { context, x, y in
            text.draw(on: context, x: x, y: y, width: width, alignment: center)
        }
    }

    /// Lays out a text. Two leading spaces indent all its lines; such a text stays with the block above.
    private func indented(_ text: String, _ isStrong: Bool) -> PageBlock {
        let isDetail = text.hasPrefix("  ")
        let indent = isDetail ? size : 0
        let set = typesetter.set(
            String(text.drop { $0 == " " }), size: isDetail ? size * 0.88 : size, isStrong: isStrong,
            width: width - indent)
        let (room, left, alignment) = (width - indent, isMirrored ? 0 : indent, start)
        return PageBlock(height: set.height, pageBreak: isDetail ? .never : .before) { context, x, y in
            set.draw(on: context, x: x + left, y: y, width: room, alignment: alignment)
        }
    }

    /// Lays out name and value on one line if both fit. Otherwise the shorter one keeps one line and the longer one
    /// wraps; when both are long, the value is placed below the name.
    private func row(_ name: String, _ value: String, size: Double, _ isStrong: Bool) -> PageBlock {
        func set(_ text: String, _ width: Double? = nil) -> SetText {
            typesetter.set(text, size: size, isStrong: isStrong, width: width)
        }
        let (first, last, width) = (set(name), set(value), width)
        if first.width + size + last.width <= width { return line(first, last) }
        if last.width <= width * 0.4 { return line(set(name, width - last.width - size), last) }
        if first.width <= width * 0.4 { return line(first, set(value, width - first.width - size)) }
        let (above, below, start, end) = (set(name, width), set(value, width), start, end)
        return PageBlock(height: above.height + below.height) { context, x, y in
            above.draw(on: context, x: x, y: y, width: width, alignment: start)
            below.draw(on: context, x: x, y: y + above.height, width: width, alignment: end)
        }
    }

    private func line(_ first: SetText, _ last: SetText) -> PageBlock {
        let (width, start, end) = (width, start, end)
        return PageBlock(height: max(first.height, last.height)) { context, x, y in
            first.draw(on: context, x: x, y: y, width: width, alignment: start)
            last.draw(on: context, x: x, y: y, width: width, alignment: end)
        }
    }

    /// The width of the column, in dots of a receipt printer.
    private var dots: Int { Int(width * PaperSize.dotsPerPoint) }

    /// Returns where something of this width begins in the column.
    private func offset(of length: Double, _ alignment: SetText.Alignment) -> Double {
        switch alignment {
        case .left: 0
        case .center: (width - length) / 2
        case .right: width - length
        }
    }

    private func rule() -> PageBlock {
        let (functions, width, size) = (functions, width, size)
        return PageBlock(height: size, pageBreak: .instead) { context, x, y in
            // Near whole points and not between two pixels, so that a print server that rewrites the page moves none.
            functions.cairo_rectangle(context, x, (y + size / 2).rounded() + 0.02, width, Self.ruleWidth)
            functions.cairo_fill(context)
        }
    }

    private func signature(_ label: String) -> PageBlock {
        let text = typesetter.set(label, size: size * 0.8)
        let (functions, space, start) = (functions, size * 4, start)
        // A sheet is wider than a signature.
        let line = min(width, PaperSize.roll80.printableWidth)
        let left = isMirrored ? width - line : 0
        return PageBlock(height: space + text.height + size / 2) { context, x, y in
            functions.cairo_rectangle(context, x + left, y + space, line, Self.ruleWidth)
            functions.cairo_fill(context)
            text.draw(on: context, x: x + left, y: y + space + 1, width: line, alignment: start)
        }
    }

    /// Lays out the logo. A pixel is at most one dot of a receipt printer, so that a logo has the same size on every
    /// paper.
    private func picture(_ logo: ReceiptLogo) throws(ReceiptError) -> PageBlock {
        let picture: DecodedLogo
        if let known = self.logo, known.logo == logo {
            picture = known
        } else {
            picture = try DecodedLogo(logo, functions)
        }
        self.logo = picture
        let factor = picture.factor(
            width: min(width, PaperSize.roll80.printableWidth) * 0.6, height: width * 0.4,
            pixel: 1 / PaperSize.dotsPerPoint)
        let left = offset(of: Double(logo.width) * factor, center)
        return PageBlock(height: Double(logo.height) * factor + size) { context, x, y in
            picture.draw(on: context, x: x + left, y: y, factor: factor)
        }
    }

    /// Lays out a QR code, with modules of whole printer dots and a quiet zone of four modules.
    private func code(_ code: QRCode) throws(ReceiptError) -> PageBlock {
        let module = Double(try code.dotsPerModule(width: dots)) / PaperSize.dotsPerPoint
        // The quiet zone is in the margin of a sheet.
        let left = offset(of: Double(code.side) * module, isSheet ? end : .center)
        let functions = functions
        return PageBlock(height: Double(code.side + 8) * module) { context, x, y in
            for run in code.runs {
                functions.cairo_rectangle(
                    context, x + left + Double(run.columns.lowerBound) * module,
                    y + Double(run.row + 4) * module, Double(run.columns.count) * module, module)
            }
            functions.cairo_fill(context)
        }
    }

    /// Lays out a barcode, ten millimeters high, with its text below.
    private func barcode(_ text: String) throws(ReceiptError) -> PageBlock {
        let code = try Code128(text)
        let module = Double(try Code128.dotsPerModule(in: text, width: dots)) / PaperSize.dotsPerPoint
        let (height, words) = (80 / PaperSize.dotsPerPoint, typesetter.set(text, size: size * 0.88))
        let (functions, size) = (functions, size)
        let length = Double(code.moduleCount) * module
        let left = offset(of: length, isSheet ? end : .center)
        return PageBlock(height: height + size * 1.5 + words.height) { context, x, y in
            for bar in code.bars {
                functions.cairo_rectangle(
                    context, x + left + Double(bar.start) * module, y + size, Double(bar.width) * module, height)
            }
            functions.cairo_fill(context)
            words.draw(on: context, x: x + left, y: y + size + height, width: length, alignment: .center)
        }
    }
}

/// A block on paper that never breaks across pages.
struct PageBlock {
    /// A position at which a page may end.
    enum Break {
        /// Before the block.
        case before
        /// Not before the block: it belongs to the one above.
        case never
        /// Before the block, which is then left out: it only separates two others.
        case instead
    }

    /// The height, in points.
    let height: Double
    var pageBreak = Break.before
    /// Draws the block with its top left corner at x, y.
    let draw: (_ context: OpaquePointer, _ x: Double, _ y: Double) -> Void
}
