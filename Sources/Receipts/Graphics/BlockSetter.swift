internal import CCairo

/// Sets blocks for a paper: what stands where, from the top.
final class BlockSetter {
    private static let style = Typesetter.Style(
        families: "DejaVu Sans, Noto Sans, sans-serif", isForDots: false, leading: 1.36)
    /// In points.
    private static let ruleWidth = 0.6

    private let functions: ccairo_functions
    private let typesetter: Typesetter
    private let isMirrored: Bool
    private let paper: PaperSize
    /// Decoded once for many receipts; in a PDF file it is then one picture, too.
    private var logo: DecodedLogo?

    var missingGlyphs: Int { typesetter.missingGlyphs }

    init(_ functions: ccairo_functions, locale: ReceiptLocale, paper: PaperSize, fonts: Typesetter.Fonts) {
        typesetter = Typesetter(functions, locale: locale, style: Self.style, fonts: fonts)
        (self.functions, self.paper, isMirrored) = (functions, paper, locale.isRightToLeft)
    }

    private var width: Double { paper.printableWidth }
    private var size: Double { paper.textSize }
    private var start: SetText.Alignment { isMirrored ? .right : .left }
    private var end: SetText.Alignment { isMirrored ? .left : .right }

    /// The pieces of a receipt.
    ///
    /// - Throws: ``ReceiptError``
    func pieces(_ blocks: [ReceiptBlock]) throws(ReceiptError) -> [PaperPiece] {
        var pieces: [PaperPiece] = []
        pieces.reserveCapacity(blocks.count)
        for block in blocks { if let piece = try piece(block) { pieces.append(piece) } }
        return pieces
    }

    /// Two short texts at the ends of a line.
    func ends(_ first: String, _ last: String) -> PaperPiece {
        line(typesetter.set(first, size: size * 0.8), typesetter.set(last, size: size * 0.8))
    }

    private func piece(_ block: ReceiptBlock) throws(ReceiptError) -> PaperPiece? {
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
        case .space: return PaperPiece(height: size * 0.8, pageBreak: .instead) { _, _, _ in }
        case .cut: return nil
        }
    }

    private func centered(_ text: String, size: Double, isStrong: Bool) -> PaperPiece {
        let (text, width) = (typesetter.set(text, size: size, isStrong: isStrong, width: width), width)
        return PaperPiece(height: text.height) { context, x, y in
            text.draw(on: context, x: x, y: y, width: width, alignment: .center)
        }
    }

    /// Two blanks in front of a text are an indent of all its lines; such a text belongs to what stands above.
    private func indented(_ text: String, _ isStrong: Bool) -> PaperPiece {
        let isDetail = text.hasPrefix("  ")
        let indent = isDetail ? size : 0
        let set = typesetter.set(
            String(text.drop { $0 == " " }), size: isDetail ? size * 0.88 : size, isStrong: isStrong,
            width: width - indent)
        let (room, left, alignment) = (width - indent, isMirrored ? 0 : indent, start)
        return PaperPiece(height: set.height, pageBreak: isDetail ? .never : .before) { context, x, y in
            set.draw(on: context, x: x + left, y: y, width: room, alignment: alignment)
        }
    }

    /// On one line when both fit. Else the shorter one keeps its line and the longer one gets the rest of the width; and
    /// when both are long, the value follows below the name.
    private func row(_ name: String, _ value: String, size: Double, _ isStrong: Bool) -> PaperPiece {
        func set(_ text: String, _ width: Double? = nil) -> SetText {
            typesetter.set(text, size: size, isStrong: isStrong, width: width)
        }
        let (first, last, width) = (set(name), set(value), width)
        if first.width + size + last.width <= width { return line(first, last) }
        if last.width <= width * 0.4 { return line(set(name, width - last.width - size), last) }
        if first.width <= width * 0.4 { return line(first, set(value, width - first.width - size)) }
        let (above, below, start, end) = (set(name, width), set(value, width), start, end)
        return PaperPiece(height: above.height + below.height) { context, x, y in
            above.draw(on: context, x: x, y: y, width: width, alignment: start)
            below.draw(on: context, x: x, y: y + above.height, width: width, alignment: end)
        }
    }

    private func line(_ first: SetText, _ last: SetText) -> PaperPiece {
        let (width, start, end) = (width, start, end)
        return PaperPiece(height: max(first.height, last.height)) { context, x, y in
            first.draw(on: context, x: x, y: y, width: width, alignment: start)
            last.draw(on: context, x: x, y: y, width: width, alignment: end)
        }
    }

    private func rule() -> PaperPiece {
        let (functions, width, size) = (functions, width, size)
        return PaperPiece(height: size, pageBreak: .instead) { context, x, y in
            functions.cairo_rectangle(context, x, y + size / 2, width, Self.ruleWidth)
            functions.cairo_fill(context)
        }
    }

    private func signature(_ label: String) -> PaperPiece {
        let text = typesetter.set(label, size: size * 0.8)
        let (functions, width, space, start) = (functions, width, size * 4, start)
        return PaperPiece(height: space + text.height + size / 2) { context, x, y in
            functions.cairo_rectangle(context, x, y + space, width, Self.ruleWidth)
            functions.cairo_fill(context)
            text.draw(on: context, x: x, y: y + space + 1, width: width, alignment: start)
        }
    }

    /// A pixel is at most a dot of a receipt printer, so that a logo is as large on every paper.
    private func picture(_ logo: ReceiptLogo) throws(ReceiptError) -> PaperPiece {
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
        let (side, width) = (Double(logo.width) * factor, width)
        return PaperPiece(height: Double(logo.height) * factor + size) { context, x, y in
            picture.draw(on: context, x: x + (width - side) / 2, y: y, factor: factor)
        }
    }

    /// Modules of whole dots of a receipt printer, with a quiet zone of four above, below and beside.
    private func code(_ code: QRCode) throws(ReceiptError) -> PaperPiece {
        let module = Double(try code.dotsPerModule(width: paper.dots)) / PaperSize.dotsPerPoint
        let left = (width - Double(code.side) * module) / 2
        let functions = functions
        return PaperPiece(height: Double(code.side + 8) * module) { context, x, y in
            for run in code.runs {
                functions.cairo_rectangle(
                    context, x + left + Double(run.columns.lowerBound) * module,
                    y + Double(run.row + 4) * module, Double(run.columns.count) * module, module)
            }
            functions.cairo_fill(context)
        }
    }

    /// Ten millimetres high, with its text below.
    private func barcode(_ text: String) throws(ReceiptError) -> PaperPiece {
        let code = try Code128(text)
        let module = Double(try Code128.dotsPerModule(in: text, width: paper.dots)) / PaperSize.dotsPerPoint
        let (height, words) = (80 / PaperSize.dotsPerPoint, typesetter.set(text, size: size * 0.88))
        let (functions, width, size) = (functions, width, size)
        let left = (width - Double(code.moduleCount) * module) / 2
        return PaperPiece(height: height + size * 1.5 + words.height) { context, x, y in
            for bar in code.bars {
                functions.cairo_rectangle(
                    context, x + left + Double(bar.start) * module, y + size, Double(bar.width) * module, height)
            }
            functions.cairo_fill(context)
            words.draw(on: context, x: x, y: y + size + height, width: width, alignment: .center)
        }
    }
}
