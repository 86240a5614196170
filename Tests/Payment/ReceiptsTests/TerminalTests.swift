import Payments
import Receipts
import Testing

@Suite("Receipts in a terminal")
struct TerminalTests {
    private func render(
        _ document: ReceiptDocument, _ locale: ReceiptLocale = .english, width: Int = 42, isStyled: Bool = false
    ) throws -> String {
        try TerminalRenderer(width: width, isStyled: isStyled).render(ReceiptComposer(locale: locale).compose(document))
    }

    private func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    @Test(arguments: [24, 32, 42, 48, 80], ReceiptLocale.all)
    func `every line is as wide as the paper and its edges`(width: Int, locale: ReceiptLocale) throws {
        var document = ReceiptSamples.full
        document.merchant.name = "株式会社コーナーショップ with a name that is longer than the paper is wide"
        document.footer = ["🧾 danke", "e\u{301}\u{302}", "إيصال"]
        let lines = lines(try render(document, locale, width: width))
        #expect(lines.last == "")
        for line in lines.dropLast() { #expect(DisplayWidth.of(line) == width + 4, "\(line)") }
        #expect(lines.first?.first == "┌")
        #expect(lines.dropLast().last?.hasPrefix("└✂╌") == true)
    }

    @Test func `it says what the text says, with large titles in the middle`() throws {
        let shown = try render(ReceiptSamples.full, width: 32)
        for line in ReceiptSamples.text(ReceiptSamples.full, width: 32).split(separator: "\n") {
            guard line.contains(where: { $0 != "-" }) else { continue }
            #expect(shown.contains(line), "\(line)")
        }
        #expect(shown.contains("│           Corner Shop            │\n│                                  │\n"))
        #expect(shown.contains("│ " + String(repeating: "─", count: 32) + " │"))
    }

    @Test func `without styles there are no escape sequences`() throws {
        var document = ReceiptSamples.full
        document.merchant.name = "\u{1B}[31mShop\u{7}\u{9B}2J"
        let shown = try render(document)
        #expect(shown.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    }

    @Test func `with styles each line is paper for itself, and the same text`() throws {
        var document = ReceiptSamples.full
        document.footer = ["\u{1B}]0;title\u{7}"]
        let styled = try render(document, isStyled: true)
        for line in lines(styled).dropLast() {
            #expect(line.hasPrefix("\u{1B}[30;47m") && line.hasSuffix("\u{1B}[0m"))
        }
        #expect(styled.contains("\u{1B}[1m               Corner Shop\u{1B}[22m"))
        var plain = styled
        for style in ["\u{1B}[30;47m", "\u{1B}[1m", "\u{1B}[22m", "\u{1B}[0m"] {
            plain = plain.replacing(style, with: "")
        }
        #expect(plain == (try render(document)))
    }

    @Test func `a code can be scanned from the screen`() throws {
        let found = try Tool.run("zbarimg", "--quiet", "--raw", on: picture(of: render(ReceiptSamples.full)))
        #expect(String(decoding: found, as: UTF8.self) == "P000042\n")
    }

    @Test func `a barcode can be scanned from the screen, and read`() throws {
        let document = ReceiptSamples.full.styled(by: ReceiptStyle(code: .barcode))
        let shown = try render(document, width: 48)
        let found = try Tool.run("zbarimg", "--quiet", "--raw", on: picture(of: shown))
        #expect(String(decoding: found, as: UTF8.self) == "P000042\n")
        #expect(shown.contains("│                     P000042"))
    }

    @Test func `a code that does not fit is replaced by text`() throws {
        var document = ReceiptSamples.full
        document.code = String(repeating: "0123456789", count: 9)
        let shown = try render(document, width: 24)
        #expect(!shown.contains("█"))
        #expect(shown.contains("123456789"))
    }

    @Test func `a logo is drawn in squares, and a damaged one is an error`() throws {
        let file = try PictureRenderer(locale: .english, paper: .roll58).png([.code("P000042")]).bytes
        var document = ReceiptDocument(ReceiptSamples.content(), copy: .customer)
        document.code = nil
        let plain = try render(document)
        document.logo = try ReceiptLogo(png: file)
        let shown = try render(document)
        #expect(shown.hasSuffix(plain.drop { $0 != "\n" }))
        let picture = shown.dropLast(plain.count).filter { "█▀▄".contains($0) }
        #expect(picture.count > 20)
        document.logo = try ReceiptLogo(png: Array(file.prefix(200)))
        #expect(throws: ReceiptError.logoIsNoPNG) { try render(document) }
    }

    /// The squares as a picture (PGM), eight pixels a square. A letter is two half squares.
    private func picture(of text: String) -> [UInt8] {
        let rows = lines(text).map { line in line.map { $0 } }
        let width = rows.reduce(0) { max($0, $1.count) }
        var pixels: [UInt8] = []
        for row in rows {
            for half in [0, 1] {
                var line: [UInt8] = []
                for column in 0..<width {
                    let letter = column < row.count ? row[column] : " "
                    let (left, right) =
                        switch letter {
                        case "█": (true, true)
                        case "▀": (half == 0, half == 0)
                        case "▄": (half == 1, half == 1)
                        case "▌": (true, false)
                        case "▐": (false, true)
                        default: (false, false)
                        }
                    for isDark in [left, right] { line += [UInt8](repeating: isDark ? 0 : 255, count: 4) }
                }
                for _ in 0..<8 { pixels += line }
            }
        }
        return Array("P5 \(width * 8) \(rows.count * 16) 255\n".utf8) + pixels
    }
}
