import Payments
import Printing
import Receipts
import Testing

@Suite("A receipt for a receipt printer")
struct ESCPOSTests {
    private func interpreted(
        _ document: ReceiptDocument, _ family: PrinterFamily, _ locale: ReceiptLocale = .english, width: Int = 42,
        opensDrawer: Bool = false
    ) throws -> ESCPOSInterpreter {
        let rendered = try ESCPOSRenderer(family: family, width: width, locale: locale).render(
            ReceiptComposer(locale: locale).compose(document), opensDrawer: opensDrawer)
        return try ESCPOSInterpreter(rendered.bytes, family)
    }

    /// What a code page has in the place of a mark that it lacks.
    private func plain(_ text: String) -> [String] {
        text.replacing("×", with: "x").replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    @Test(arguments: PrinterFamily.allCases, [32, 42, 48])
    func `the printer prints the text and a code, and cuts`(
        family: PrinterFamily, width: Int
    ) throws {
        let printed = try interpreted(ReceiptSamples.full, family, width: width)
        #expect(printed.text == plain(ReceiptSamples.text(ReceiptSamples.full, width: width)))
        #expect(printed.parts.contains(.code("P000042", dots: 6, isCentered: true)))
        #expect(printed.parts.last == .cut(.partial))
        let name = ESCPOSInterpreter.Part.line("Corner Shop", isStrong: true, isTall: true)
        #expect(printed.parts.contains { trimmed($0) == name })
    }

    private func trimmed(_ part: ESCPOSInterpreter.Part) -> ESCPOSInterpreter.Part {
        guard case .line(let text, let isStrong, let isTall) = part else { return part }
        return .line(String(text.drop { $0 == " " }), isStrong: isStrong, isTall: isTall)
    }

    @Test(arguments: PrinterFamily.allCases, [ReceiptLocale.spanish, .french, .german, .italian, .portuguese])
    func `accented letters and the euro sign use the printer's code tables`(
        family: PrinterFamily, locale: ReceiptLocale
    ) throws {
        var content = ReceiptSamples.content(
            .refund, .declined, name: "Crème brûlée", reason: "Müller", currency: "EUR")
        content.card?.cardholderVerification = .signature
        let document = ReceiptDocument(content, copy: .merchant, isDuplicate: true)
        let printed = try interpreted(document, family, locale)
        #expect(printed.text == plain(ReceiptSamples.text(document, locale)))
        #expect(!printed.parts.contains { if case .dots = $0 { true } else { false } })
    }

    @Test(arguments: PrinterFamily.allCases, [32, 48])
    func `only lines with characters that the printer lacks are drawn`(
        family: PrinterFamily, width: Int
    ) throws {
        let document = ReceiptDocument(ReceiptSamples.content(name: "مقهى الزاوية"), copy: .customer)
        let printed = try interpreted(document, family, width: width)
        let drawn = printed.parts.compactMap { part -> (Int, [UInt8])? in
            if case .dots(let width, let rows) = part { (width, rows) } else { nil }
        }
        #expect(drawn.count == 1)
        let picture = try #require(drawn.first)
        #expect(picture.0 == width * 12 / 8)
        #expect(picture.1.contains { $0 != 0 } && picture.1.contains { $0 == 0 })
        #expect(!printed.text.contains { $0.contains("مقهى") })
        #expect(printed.text.contains { $0.contains("VISA CREDIT") })
    }

    @Test(arguments: PrinterFamily.allCases)
    func `Arabic is drawn, and its Latin lines are mirrored`(family: PrinterFamily) throws {
        let printed = try interpreted(ReceiptSamples.full, family, .arabic)
        #expect(printed.parts.contains { if case .dots = $0 { true } else { false } })
        let line = try #require(printed.text.first { $0.contains("8000008000") })
        #expect(line.hasPrefix("8000008000") && line.hasSuffix("TVR"))
    }

    @Test(arguments: PrinterFamily.allCases)
    func `the drawer is opened on request, before anything is printed`(family: PrinterFamily) throws {
        #expect(try interpreted(ReceiptSamples.full, family, opensDrawer: true).parts.first == .drawer)
        #expect(try !interpreted(ReceiptSamples.full, family).parts.contains(.drawer))
    }

    @Test(arguments: PrinterFamily.allCases)
    func `texts cannot inject printer commands`(family: PrinterFamily) throws {
        let evil = "A\u{1B}@\u{1D}V\u{0}\u{10}\u{14}\n\u{7}\u{9B}B"
        let document = ReceiptDocument(
            ReceiptSamples.content(.sale, .declined, name: evil, reason: evil), copy: .customer)
        let printed = try interpreted(document, family)
        #expect(printed.parts.count(where: { $0 == .cut(.partial) }) == 1)
        #expect(!printed.parts.contains(.drawer))
        #expect(printed.text.contains { $0.contains("A@V B") })
    }

    @Test(arguments: PrinterFamily.allCases, PaperCut.allCases)
    func `both copies are one job, and each is cut`(family: PrinterFamily, cut: PaperCut) throws {
        let receipts = ReceiptCopy.allCases.map { copy in
            ReceiptComposer(locale: .english).compose(ReceiptDocument(ReceiptSamples.content(), copy: copy))
        }
        let bytes = try ESCPOSRenderer(family: family, width: 42, locale: .english)
            .render(job: receipts, cut: cut, opensDrawer: true).bytes
        let printed = try ESCPOSInterpreter(bytes, family)
        #expect(printed.parts.count(where: { $0 == .cut(cut) }) == 2)
        #expect(printed.parts.count(where: { $0 == .drawer }) == 1)
        #expect(printed.parts.last == .cut(cut))
        let middle = try #require(printed.parts.firstIndex(of: .cut(cut)))
        func says(_ words: String, _ parts: ArraySlice<ESCPOSInterpreter.Part>) -> Bool {
            parts.contains { if case .line(let text, _, _) = $0 { text.contains(words) } else { false } }
        }
        #expect(says("MERCHANT COPY", printed.parts[..<middle]) && !says("CUSTOMER COPY", printed.parts[..<middle]))
        #expect(says("CUSTOMER COPY", printed.parts[middle...]) && !says("MERCHANT COPY", printed.parts[middle...]))
    }

    @Test func `ten thousand items are printed`() throws {
        let printed = try interpreted(ReceiptSamples.long(10_000), .epson)
        #expect(printed.text.count(where: { $0.hasPrefix("Item ") }) == 10_000)
    }
}
