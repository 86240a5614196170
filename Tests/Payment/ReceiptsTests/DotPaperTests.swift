import Payments
import Printing
import Testing
import Text

@testable import Receipts

@Suite("The paper of a receipt printer")
struct DotPaperTests {
    private static let pages: [PrinterFamily: [CodePage]] = Dictionary(
        uniqueKeysWithValues: PrinterFamily.allCases.map { family in
            (family, (UInt8.min...UInt8.max).compactMap { family.codePage($0) })
        })

    private func document(_ locale: ReceiptLocale) -> ReceiptDocument {
        var document = ReceiptSamples.full
        document.merchant.name = ["ja": "小さな喫茶店", "ar": "مقهى الزاوية"][locale.code] ?? "Crème & Köder"
        document.items.append(
            ReceiptItem(title: "Organic cotton T-shirt with long sleeves", quantity: "3", amount: "12.00"))
        document.items.append(ReceiptItem(title: "一行には入りきらない長い名前の商品です", quantity: "1", amount: "1.00"))
        document.items.append(ReceiptItem(title: "قهوة Espresso", quantity: "2", amount: "4.00"))
        return document
    }

    private func words(_ line: String) -> [String] {
        let plain = line.unicodeScalars.filter { !(0x2066...0x2069).contains($0.value) }
        return String(String.UnicodeScalarView(plain)).replacing("×", with: "x").replacing("\u{A0}", with: " ")
            .replacing("\u{202F}", with: " ").split(separator: " ").map(String.init).sorted()
    }

    /// The heights of the text's lines as dots: large ones are those of titles and strong rows.
    private func heights(_ blocks: [ReceiptBlock], width: Int) -> [Int] {
        let renderer = PlainTextRenderer(width: width)
        return blocks.flatMap { block -> [Int] in
            let isLarge: Bool
            switch block {
            case .title, .row(_, _, isStrong: true): isLarge = true
            default: isLarge = false
            }
            let count = renderer.render([block]).split(separator: "\n", omittingEmptySubsequences: false).count - 1
            return [Int](repeating: isLarge ? 45 : 30, count: count)
        }
    }

    @Test(arguments: ReceiptLocale.all, [32, 42, 48])
    func `every line of the text is printed in order, as characters or as dots`(
        locale: ReceiptLocale, width: Int
    ) throws {
        let blocks = ReceiptComposer(locale: locale).compose(document(locale)).stacked
        let lines = PlainTextRenderer(width: width).render(blocks)
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        let heights = heights(blocks, width: width)
        try #require(heights.count == lines.count)
        for family in PrinterFamily.allCases {
            let bytes = try ESCPOSRenderer(family: family, width: width, locale: locale).render(blocks).bytes
            let printed = try ESCPOSInterpreter(bytes, family)
            var (index, drawn) = (0, 0)
            for part in printed.parts {
                switch part {
                case .line(let text, _, let isTall):
                    #expect(drawn == 0, "dots that are no whole lines in front of '\(text)'")
                    try #require(index < lines.count)
                    #expect(words(text) == words(lines[index]))
                    #expect(text.count <= width)
                    #expect(isTall == (heights[index] == 45))
                    index += 1
                case .dots(let bytesPerRow, let rows):
                    #expect(bytesPerRow == width * 12 / 8)
                    drawn += rows.count / bytesPerRow
                    while index < lines.count, drawn >= heights[index] {
                        drawn -= heights[index]
                        #expect(!isPrintable(lines[index], family), "'\(lines[index])' needs no dots")
                        index += 1
                    }
                case .code, .barcode, .cut, .drawer: #expect(drawn == 0)
                }
            }
            #expect(index == lines.count)
            #expect(try DotPaper(printed, columns: width).isWithinPaper)
        }
    }

    private func isPrintable(_ line: String, _ family: PrinterFamily) -> Bool {
        (Self.pages[family] ?? []).contains { page in
            let scalars = Set((UInt8.min...UInt8.max).compactMap { page.scalar(of: $0) })
            return words(line).joined().unicodeScalars.allSatisfy { scalars.contains($0) }
        }
    }

    @Test(arguments: PrinterFamily.allCases, [32, 42, 48])
    func `a scanner reads the codes from the paper`(family: PrinterFamily, width: Int) throws {
        for (form, text) in [(ReceiptCode.qr, "P000042"), (.barcode, "P000042"), (.barcode, "A{%}1")] {
            var document = ReceiptSamples.full
            (document.codeForm, document.code) = (form, text)
            let bytes = try ESCPOSRenderer(family: family, width: width, locale: .english).render(
                ReceiptComposer(locale: .english).compose(document)
            ).bytes
            let paper = try DotPaper(ESCPOSInterpreter(bytes, family), columns: width)
            #expect(paper.isWithinPaper)
            let found = try Tool.run("zbarimg", "--quiet", "--raw", on: paper.picture.pgm)
            #expect(String(decoding: found, as: UTF8.self) == text + "\n")
        }
    }

    @Test(arguments: PrinterFamily.allCases, [32, 48])
    func `a logo is centered, one dot per pixel, and gray is a pattern of dots`(
        family: PrinterFamily, width: Int
    ) throws {
        var document = ReceiptSamples.full
        document.logo = try ReceiptLogo(png: DotPaper.checkers(width: 200, height: 80).png)
        let bytes = try ESCPOSRenderer(family: family, width: width, locale: .english).render(
            ReceiptComposer(locale: .english).compose(document)
        ).bytes
        let printed = try ESCPOSInterpreter(bytes, family)
        guard case .dots(let bytesPerRow, let rows) = printed.parts.first else {
            Issue.record("no logo")
            return
        }
        #expect(rows.count == bytesPerRow * 80)
        let picture = try DotPaper(printed, columns: width).picture
        let left = (width * 12 - 200) / 2
        for column in 0..<(width * 12) where !(left..<(left + 200)).contains(column) {
            #expect((0..<80).allSatisfy { picture.ink($0, column) == 0 })
        }
        // Two thirds of the dark squares are black.
        for square in 0..<10 {
            var ink = 0.0
            for row in 0..<20 { for column in 0..<20 { ink += picture.ink(row, left + square * 20 + column) } }
            let expected = square.isMultiple(of: 2) ? 2.0 / 3 : 0
            #expect(abs(ink / 400 - expected) < 0.08)
        }
    }
}
