import Foundation
import Payments
import Printing
import Testing

@testable import Receipts

@Suite("A receipt as PDF and PNG")
struct PictureTests {
    private func pdf(
        _ document: ReceiptDocument, _ locale: ReceiptLocale = .english, _ paper: PaperSize = .roll80
    ) throws -> RenderedReceipt {
        let composer = ReceiptComposer(locale: locale)
        return try PictureRenderer(locale: locale, paper: paper).pdf(
            composer.compose(document), title: composer.title(document), date: document.date)
    }

    private func png(
        _ document: ReceiptDocument, _ locale: ReceiptLocale = .english, _ paper: PaperSize = .roll80
    ) throws -> RenderedReceipt {
        try PictureRenderer(locale: locale, paper: paper).png(ReceiptComposer(locale: locale).compose(document))
    }

    @Test(arguments: PaperSize.allCases)
    func `a PDF contains the text of the receipt`(paper: PaperSize) throws {
        let file = try pdf(ReceiptSamples.full, .english, paper)
        #expect(file.bytes.count < 40_000)
        #expect(file.missingGlyphs == 0)
        let text = String(decoding: try Tool.run("pdftotext", "-layout", on: file.bytes, after: ["-"]), as: UTF8.self)
        for line in [
            "Corner Shop", "2 × Hoodie", "$1,200.00", "Size: M", "VISA CREDIT", "A0000000031010",
            "**** **** **** 0010", "VERIFIED BY PIN", "CUSTOMER COPY", "Thank you",
        ] {
            #expect(text.contains(line), "\(line)")
        }
    }

    @Test func `the same receipt results in the same file`() throws {
        #expect(try pdf(ReceiptSamples.full).bytes == pdf(ReceiptSamples.full).bytes)
    }

    @Test(arguments: [(PaperSize.roll58, "164.4"), (.roll80, "226.7"), (.a4, "595.2"), (.letter, "612")])
    func `a page is as wide as the paper`(paper: PaperSize, width: String) throws {
        let text = String(
            decoding: try Tool.run("pdfinfo", on: pdf(ReceiptSamples.full, .english, paper).bytes), as: UTF8.self)
        let size = try #require(text.split(separator: "\n").first { $0.hasPrefix("Page size:") })
        #expect(size.contains(" \(width)"))
        #expect(text.contains("Corner Shop P000042"))
    }

    @Test(arguments: [(PaperSize.roll58, 464), (.roll80, 639), (.a4, 1678), (.letter, 1726)])
    func `a picture has the dots of the paper and is not empty`(paper: PaperSize, width: Int) throws {
        let file = try png(ReceiptSamples.full, .english, paper)
        let logo = try ReceiptLogo(png: file.bytes)
        #expect(logo.width == width)
        #expect(logo.height > width / 2)
        // A white picture of this size would be some hundred bytes.
        #expect(file.bytes.count > 10_000)
    }

    @Test(arguments: PaperSize.allCases)
    func `a picture has white margins on all sides`(paper: PaperSize) throws {
        let logo = try ReceiptLogo(png: png(ReceiptSamples.full, .english, paper).bytes)
        let functions = try DrawingLibrary.load()
        let image = try ImageSurface(functions, width: logo.width, height: logo.height)
        try DecodedLogo(logo, functions).draw(on: image.context, x: 0, y: 0, factor: 1)
        let dots = image.dots(isPicture: false)
        func hasInk(_ row: Int, _ column: Int) -> Bool { dots.isBlack(row: row, column: column) }
        let columns = (0..<logo.width).filter { column in (0..<logo.height).contains { hasInk($0, column) } }
        let rows = (0..<logo.height).filter { row in (0..<logo.width).contains { hasInk(row, $0) } }
        // Three millimeters.
        let margin = 24
        #expect(try #require(columns.first) >= margin && #require(columns.last) < logo.width - margin)
        #expect(try #require(rows.first) >= margin && #require(rows.last) < logo.height - margin)
        // Rules are as wide as the print area.
        #expect(columns.count > logo.width * 3 / 4)
    }

    @Test func `the code on the picture contains the payment's name`() throws {
        let found = try Tool.run("zbarimg", "--quiet", "--raw", on: png(ReceiptSamples.full).bytes)
        #expect(String(decoding: found, as: UTF8.self) == "P000042\n")
    }

    // The most that some versions hold, and one more; with 10, the length has two bytes, and with 14, more alignment
    // patterns are there.
    @Test(arguments: [
        1, 14, 15, 26, 42, 43, 62, 84, 85, 106, 107, 122, 123, 180, 181, 213, 214, 362, 363, 666, 1663, 2331,
    ])
    func `a code of any length can be read back`(length: Int) throws {
        var document = ReceiptSamples.full
        document.code = String((0..<length).map { Character(Unicode.Scalar(UInt8(0x61 + $0 % 26))) })
        let found = try Tool.run("zbarimg", "--quiet", "--raw", on: png(document, .english, .a4).bytes)
        #expect(String(decoding: found, as: UTF8.self) == document.code.map { $0 + "\n" })
    }

    @Test(arguments: [(PaperSize.roll58, 997), (.roll80, 2331)])
    func `a code that does not fit on the paper is an error`(paper: PaperSize, limit: Int)
        throws
    {
        var document = ReceiptSamples.full
        document.code = String(repeating: "x", count: limit + 1)
        let refusal = ReceiptError.codeTooLong(bytes: limit + 1, limit: limit)
        #expect(throws: refusal) { try pdf(document, .english, paper) }
        #expect(throws: refusal) { try png(document, .english, paper) }
        let blocks = ReceiptComposer(locale: .english).compose(document)
        for family in PrinterFamily.allCases {
            #expect(throws: refusal) {
                try ESCPOSRenderer(family: family, width: paper.columns, locale: .english).render(blocks)
            }
        }
        document.code = String(repeating: "x", count: limit)
        #expect(try png(document, .english, paper).missingGlyphs == 0)
        #expect(try QRCode("").side == 21)
    }

    @Test func `a picture contains its size on paper`() throws {
        let bytes = try png(ReceiptSamples.full).bytes
        // 203 dots an inch are 7992 a metre; the checksum is that of zlib's crc32 over the 13 bytes in front of it.
        #expect(
            bytes[33..<54] == [
                0, 0, 0, 9, 0x70, 0x48, 0x59, 0x73, 0, 0, 0x1F, 0x38, 0, 0, 0x1F, 0x38, 1, 0x93, 0x3F, 0x27, 0xF5,
            ])
    }

    @Test func `an emoji without a glyph is omitted and counted`() throws {
        var (document, plain) = (ReceiptSamples.full, ReceiptSamples.full)
        // A character of Unicode 16, newer than every font.
        document.merchant.name = "Fox \u{1FAE9} Friends"
        plain.merchant.name = "Fox Friends"
        let rendered = try png(document)
        #expect(rendered.missingGlyphs == 1)
        #expect(try rendered.bytes == png(plain).bytes)
    }

    @Test func `a file of many receipts has a page and a line in the outline for each, and is written in pieces`()
        throws
    {
        var (bytes, pieces, longest) = ([UInt8](), 0, 0)
        let book = try PDFBook(
            locale: .english, paper: .roll80, title: "Receipts", date: "2026-01-02 12:00:00"
        ) { piece in
            bytes += piece
            pieces += 1
            longest = max(longest, piece.count)
            return true
        }
        let composer = ReceiptComposer(locale: .english)
        for number in 1...50 {
            var document = ReceiptSamples.full
            document.payment = "P\(number)"
            try book.append(composer.compose(document), title: "Receipt \(number)")
        }
        // What was drawn is gone from memory already.
        #expect(bytes.count > 50_000)
        try book.finish()
        #expect(pieces > 50 && longest < 100_000)
        let text = String(decoding: try Tool.run("pdftotext", "-layout", on: bytes, after: ["-"]), as: UTF8.self)
        let pages = text.split(separator: "\u{0C}")
        #expect(pages.count == 50)
        #expect(pages[6].contains(" P7\n"))
        // Much less than fifty files, which would have their fonts fifty times.
        #expect(bytes.count < 50 * 10_000)
    }

    @Test func `a file that cannot be written is an error`() throws {
        let book = try PDFBook(locale: .english, paper: .a4, title: "", date: "2026-01-02 12:00:00") { _ in false }
        #expect(throws: ReceiptError.notWritten) {
            for _ in 0..<100 {
                try book.append(ReceiptComposer(locale: .english).compose(ReceiptSamples.full), title: "")
            }
            try book.finish()
        }
    }

    @Test(arguments: [PaperSize.a4, .letter])
    func `every page of a long receipt has its number, and no page begins with a rule`(paper: PaperSize) throws {
        let text = String(
            decoding: try Tool.run(
                "pdftotext", "-layout", on: pdf(ReceiptSamples.long(200), .english, paper).bytes, after: ["-"]),
            as: UTF8.self)
        let pages = text.split(separator: "\u{0C}").filter { $0.contains { !$0.isWhitespace } }
        #expect(pages.count > 3)
        for (index, page) in pages.enumerated() {
            let last = try #require(page.split(separator: "\n").last { $0.contains { !$0.isWhitespace } })
            #expect(last.filter { $0 != " " } == "CornerShopP000042\(index + 1)/\(pages.count)")
        }
        let one = try Tool.run(
            "pdftotext", on: pdf(ReceiptSamples.full, .english, paper).bytes, after: ["-"])
        #expect(!String(decoding: one, as: UTF8.self).contains("/ 1"))
    }

    @Test(arguments: [PaperSize.a4, .letter])
    func `a sheet has the merchant and the payment side by side, as have the card and the authorization`(
        paper: PaperSize
    ) throws {
        func lines(_ paper: PaperSize) throws -> [String] {
            let text = try Tool.run(
                "pdftotext", "-layout", on: pdf(ReceiptSamples.full, .english, paper).bytes, after: ["-"])
            return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        let (sheet, roll) = (try lines(paper), try lines(.roll80))
        #expect(sheet.contains { $0.contains("Winter sale") && $0.contains("12:00:00") })
        #expect(sheet.contains { $0.contains("VISA CREDIT") && $0.contains("A1B2C3") })
        #expect(!roll.contains { $0.contains("VISA CREDIT") && $0.contains("A1B2C3") })
        #expect(sheet.count < roll.count)
    }

    @Test func `a group that is longer than a page goes over several pages`() throws {
        var document = ReceiptSamples.full
        document.merchant.lines = (1...120).map { "Line \($0)" }
        let text = String(
            decoding: try Tool.run("pdftotext", on: pdf(document, .english, .a4).bytes, after: ["-"]), as: UTF8.self)
        for line in ["Line 1\n", "Line 120\n", "P000042\n", "VISA CREDIT\n"] { #expect(text.contains(line)) }
    }

    @Test func `Arabic is drawn from the right`() throws {
        let text = String(
            decoding: try Tool.run("pdftotext", on: pdf(ReceiptSamples.full, .arabic).bytes, after: ["-"]),
            as: UTF8.self)
        // The letters are joined, so that pdftotext sees gaps of its own between them.
        let letters = String(text.filter { $0.isLetter })
        #expect(letters.contains("نسخةالعميل"))
        #expect(letters.contains("التاريخ"))
        // The words of a row stand right of its value.
        let boxes = String(
            decoding: try Tool.run("pdftotext", "-bbox", on: pdf(ReceiptSamples.full, .arabic).bytes, after: ["-"]),
            as: UTF8.self)
        func left(_ word: String) -> Double? {
            boxes.split(separator: "\n").first { $0.contains(">\(word)<") }
                .flatMap { $0.firstMatch(of: /xMin="([0-9.]+)"/).flatMap { Double($0.1) } }
        }
        #expect(try #require(left("TVR")) > #require(left("8000008000")))
    }

    @Test(arguments: [ReceiptLocale.japanese, .arabic])
    func `every letter has a font`(locale: ReceiptLocale) throws {
        #expect(try pdf(ReceiptSamples.full, locale).missingGlyphs == 0)
    }

    @Test func `a letter without a glyph is counted and drawn as a box`() throws {
        var document = ReceiptSamples.full
        // A private character.
        document.merchant.name = "Shop \u{F8FFA}"
        #expect(try pdf(document).missingGlyphs == 1)
    }

    @Test func `a long receipt fills as many pages as it needs`() throws {
        let text = String(
            decoding: try Tool.run("pdfinfo", on: pdf(ReceiptSamples.long(300), .english, .a4).bytes), as: UTF8.self)
        let pages = text.firstMatch(of: /Pages: +([0-9]+)/).flatMap { Int($0.1) }
        #expect(try (5...12).contains(#require(pages)))
    }

    @Test func `ten thousand items fit on rolls of paper, and are too long for one picture`() throws {
        let document = ReceiptSamples.long(10_000)
        let text = String(decoding: try Tool.run("pdftotext", on: pdf(document).bytes, after: ["-"]), as: UTF8.self)
        #expect(text.contains("Item 10000"))
        #expect {
            try png(document)
        } throws: {
            if case .tooLongForPicture = $0 as? ReceiptError { true } else { false }
        }
    }

    @Test func `a logo is drawn on top`() throws {
        var document = ReceiptSamples.full
        let plain = try ReceiptLogo(png: png(document).bytes)
        document.logo = plain
        let withLogo = try ReceiptLogo(png: png(document).bytes)
        #expect(withLogo.height > plain.height)
        #expect(try pdf(document).bytes.count > pdf(ReceiptSamples.full).bytes.count)
        let html = try HTMLRenderer(locale: .english).render(
            ReceiptComposer(locale: .english).compose(document), title: "")
        #expect(html.contains("src=\"data:image/png;base64,iVBORw0KGgo"))
    }

    @Test func `a logo that is not a picture is rejected`() throws {
        #expect(throws: ReceiptError.logoIsNoPNG) { try ReceiptLogo(png: Array("not a picture".utf8)) }
        #expect(throws: ReceiptError.logoIsNoPNG) { try ReceiptLogo(png: []) }
        let whole = try png(ReceiptSamples.full).bytes
        var wide = whole
        wide[16] = 0x7F
        let height = try ReceiptLogo(png: whole).height
        #expect(throws: ReceiptError.logoTooLarge(width: 0x7F00_027F, height: height)) {
            try ReceiptLogo(png: wide)
        }
        // The head is right and the rest is missing.
        var document = ReceiptSamples.full
        document.logo = try ReceiptLogo(png: Array(whole.prefix(200)))
        #expect(throws: ReceiptError.logoIsNoPNG) { try pdf(document) }
        #expect(throws: ReceiptError.logoIsNoPNG) { try png(document) }
    }
}
