import Determinism
import Payments
import Printing
import Receipts
import Testing

@Suite("Card number, expiration date, and PIN in any field")
struct CanaryTests {
    @Test(arguments: 0..<64 as Range<UInt64>)
    func `no receipt contains more than the last four digits`(seed: UInt64) throws {
        let canary = Canary(SeededRandomSource(seed: seed).stream("canary"))
        let locale = ReceiptLocale.all[Int(seed) % ReceiptLocale.all.count]
        for (format, text) in try everything(document(canary, seed: seed), locale) {
            for line in text.split(whereSeparator: \.isNewline) {
                #expect(!canary.isTold(by: line), "\(format): \(line)")
            }
        }
    }

    @Test func `the test detects an unmasked number`() {
        for seed in 0..<64 as Range<UInt64> {
            let canary = Canary(SeededRandomSource(seed: seed).stream("canary"))
            for _ in 0..<20 { #expect(canary.isTold(by: Substring(canary.text()))) }
        }
    }

    @Test(arguments: [
        "2026-01-02 12:00:00", "Mo-Fr 09:00-18:00, Sa 10:00-16:00", "Mo-Fr 09.00-18.00 10.00-16.00", "000000000042",
        "Tel. 030 1234567", "+49 30 1234567 / +49 30 7654321", "1.234.567,89 EUR", "DE123456789",
        "192.168.100.200:8080",
        "4006381333931x", "1234567890123", "٢٠٢٦-٠١-٠٢",
    ])
    func `other numbers stay`(text: String) {
        #expect(ReceiptText.concealed(text) == text)
    }

    /// A receipt of any kind with a canary in every field with outside data.
    private func document(_ canary: Canary, seed: UInt64) throws -> ReceiptDocument {
        func some<Value>(_ values: [Value]) throws -> Value {
            try #require(values.randomElement(using: &canary.generator))
        }
        let card = CardDetails(
            brand: "visa", lastFour: canary.text(),
            entryMode: try some(CardDetails.EntryMode.allCases),
            cardholderVerification: try some([.none, .signature, .offlinePIN, .onlinePIN, .offlinePINAndSignature]),
            aid: "A0000000031010", applicationName: canary.text(), applicationCryptogram: "1122334455667788",
            cryptogramType: "TC", authorizationResponseCode: canary.text(), authorizationCode: canary.text(),
            hostReference: canary.text(), offlineDataAuthenticationReason: canary.text())
        let items = (0..<3).map { _ in
            ReceiptItem(
                title: canary.text(), quantity: canary.text(), amount: "1.00",
                attributes: [ReceiptItem.Attribute(name: canary.text(), value: canary.text())])
        }
        let totals = ReceiptTotal.Kind.allCases.map { ReceiptTotal($0, detail: canary.text(), amount: "1.00") }
        let content = ReceiptContent(
            kind: try some(ReceiptContent.Kind.allCases), outcome: try some(ReceiptContent.Outcome.allCases),
            merchant: Merchant(
                name: canary.text(), lines: [canary.text(), canary.text()], merchantID: "M", terminalID: "T"),
            store: canary.text(), payment: "P000042", orderID: 7, orderNumber: canary.text(),
            date: "2026-01-02 12:00:00", zone: "UTC", amount: "12.50", approvedAmount: "12.50", currency: "USD",
            reason: canary.text(), breakdown: ReceiptBreakdown(items: items, totals: totals), card: card)
        var document = ReceiptDocument(
            content, copy: try some(ReceiptCopy.allCases), isDuplicate: seed.isMultiple(of: 2)
        ).styled(by: ReceiptStyle(header: [canary.text()], footer: [canary.text(), canary.text()]))
        document.code = canary.number
        return document
    }

    /// What people and programs can read in every format.
    private func everything(
        _ document: ReceiptDocument, _ locale: ReceiptLocale
    ) throws -> [(format: String, text: String)] {
        let composer = ReceiptComposer(locale: locale)
        let (blocks, title) = (composer.compose(document), composer.title(document))
        var found = [("title", title), ("json", try JSONRenderer().render(document))]
        for width in [24, 42, 80] {
            found.append(("text \(width)", PlainTextRenderer(width: width).render(blocks)))
            found.append(("preview", try TerminalRenderer(width: width, isStyled: width == 42).render(blocks)))
        }
        found.append(("html", try HTMLRenderer(locale: locale).render(blocks, title: title)))
        for family in [PrinterFamily.epson, .star] {
            let bytes = try ESCPOSRenderer(family: family, width: 48, locale: locale).render(blocks).bytes
            found.append(("escpos", try ESCPOSInterpreter(bytes, family).text.joined(separator: "\n")))
            found.append(("escpos's bytes", Self.ascii(bytes)))
        }
        let pictures = PictureRenderer(locale: locale, paper: .a4)
        let pdf = try pictures.pdf(blocks, title: title, date: document.date).bytes
        found.append(
            ("pdf", String(decoding: try Tool.run("pdftotext", "-layout", on: pdf, after: ["-"]), as: UTF8.self)))
        found.append(("pdf's title", Self.line("Title", of: try Tool.run("pdfinfo", on: pdf))))
        found.append(("png's bytes", Self.ascii(try pictures.png(blocks).bytes)))
        return found
    }

    /// What `strings` would find: runs of printable bytes, a line each.
    private static func ascii(_ bytes: [UInt8]) -> String {
        bytes.split { !(0x20...0x7E).contains($0) }.filter { $0.count >= 4 }
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    }

    private static func line(_ name: String, of output: some Sequence<UInt8>) -> String {
        String(decoding: Array(output), as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name) }
            .map(String.init) ?? ""
    }
}
