import Payments
import Printing
import Receipts
import Testing

@Suite("A barcode")
struct BarcodeTests {
    private func document() -> ReceiptDocument {
        ReceiptSamples.full.styled(by: ReceiptStyle(code: .barcode))
    }

    private func blocks(_ text: String) -> [ReceiptBlock] {
        var document = document()
        document.code = text
        return ReceiptComposer(locale: .english).compose(document)
    }

    // "Wikipedia": the example of the article on Code 128. "HI345678": the example of barcodeisland.com/code128.phtml.
    @Test(
        arguments: [
            ("Wikipedia", [104, 55, 73, 75, 73, 80, 69, 68, 73, 65, 88]),
            ("HI345678", [104, 40, 41, 99, 34, 56, 78, 68]),
            ("1234", [105, 12, 34, 82]),
        ] as [(String, [UInt8])])
    func `has the same check character as in other programs`(text: String, values: [UInt8]) throws {
        #expect(try Code128(text).values == values)
    }

    @Test func `has eleven modules per character, and thirteen at its end`() throws {
        let code = try Code128("P000042")
        #expect(code.values.first == 104)
        #expect(code.moduleCount == 11 * code.values.count + 13)
        #expect(code.widths.count == 6 * code.values.count + 7)
    }

    @Test(arguments: ["", "é", "a\u{1B}b"])
    func `is not created from unsupported characters`(text: String) {
        #expect(throws: ReceiptError.noBarcode) { try Code128(text) }
    }

    @Test(arguments: [(PaperSize.roll58, 12), (.roll80, 21)])
    func `is rejected when it is wider than the paper, on every kind of receipt`(paper: PaperSize, limit: Int) throws {
        let (fitting, tooLong) = (String(repeating: "x", count: limit), String(repeating: "x", count: limit + 1))
        let pictures = PictureRenderer(locale: .english, paper: paper)
        let bytes = ESCPOSRenderer(family: .epson, width: paper.columns, locale: .english)
        _ = try pictures.png(blocks(fitting))
        _ = try bytes.render(blocks(fitting))
        #expect(throws: ReceiptError.codeTooLong(bytes: limit + 1, limit: limit)) { try pictures.png(blocks(tooLong)) }
        #expect(throws: ReceiptError.codeTooLong(bytes: limit + 1, limit: limit)) { try bytes.render(blocks(tooLong)) }
    }

    @Test(arguments: ["P000042", "P123456", "R2", "A-1007%{}~", "00112233445566", "9", "x1234567y"])
    func `on a picture can be read back`(text: String) throws {
        let png = try PictureRenderer(locale: .english, paper: .roll80).png(blocks(text)).bytes
        let found = try Tool.run("zbarimg", "--quiet", "--raw", on: png)
        #expect(String(decoding: found, as: UTF8.self) == text + "\n")
    }

    @Test func `fits on a roll of 58 mm`() throws {
        let png = try PictureRenderer(locale: .english, paper: .roll58).png(blocks("P000042")).bytes
        let found = try Tool.run("zbarimg", "--quiet", "--raw", on: png)
        #expect(String(decoding: found, as: UTF8.self) == "P000042\n")
    }

    @Test(arguments: PrinterFamily.allCases)
    func `is drawn by the printer itself`(family: PrinterFamily) throws {
        let bytes = try ESCPOSRenderer(family: family, width: 42, locale: .english).render(blocks("P000042")).bytes
        let printed = try ESCPOSInterpreter(bytes, family)
        #expect(printed.parts.contains(.barcode("P000042", dots: 3, isCentered: true)))
        #expect(!printed.parts.contains { if case .code = $0 { true } else { false } })
    }

    @Test func `is text in text receipts, and a picture with text in HTML`() throws {
        let text = PlainTextRenderer(width: 42).render(blocks("P000042"))
        #expect(text.contains("\n                 P000042\n"))
        let html = try HTMLRenderer(locale: .english).render(blocks("A<1"), title: "")
        #expect(html.contains("<svg ") && html.contains("<p>A&lt;1</p>"))
    }
}
