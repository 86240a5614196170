import Payments
import Receipts
import Testing

@Suite("The languages of a receipt")
struct ReceiptLocaleTests {
    @Test(arguments: [
        ("en", "1234.50", "USD", "$1,234.50"), ("en", "1234", "JPY", "¥1,234"),
        ("en", "0.500", "KWD", "KWD\u{A0}0.500"),
        ("en", "-10.00", "USD", "-$10.00"), ("en", "12.5", "EUR", "€12.50"), ("en", "1234567", "JPY", "¥1,234,567"),
        ("es", "1234.50", "EUR", "1234,50\u{A0}€"), ("es", "12345.00", "EUR", "12.345,00\u{A0}€"),
        ("fr", "1234.50", "EUR", "1\u{202F}234,50\u{A0}€"), ("fr", "2.00", "USD", "2,00\u{A0}$US"),
        ("de", "1234.50", "EUR", "1.234,50\u{A0}€"), ("it", "1234.50", "USD", "1.234,50\u{A0}USD"),
        ("pt", "1234.50", "BRL", "R$\u{A0}1.234,50"), ("ja", "1234", "JPY", "¥1,234"),
        ("ar", "1234.500", "KWD", "KWD\u{A0}1,234.500"),
        // Invalid amounts and currencies stay unchanged.
        ("de", "viel", "EUR", "viel EUR"), ("en", "1.5", "ZZZ", "ZZZ\u{A0}1.5"), ("en", "", "USD", " USD"),
    ])
    func `an amount has the local format`(code: String, amount: String, currency: String, text: String) {
        #expect(ReceiptLocale(code: code)?.format(amount: amount, currency: currency) == text)
    }

    @Test(arguments: [
        ("en", "2 Jan 2026 12:00:00 UTC"), ("es", "02/01/2026 12:00:00 UTC"), ("fr", "02/01/2026 12:00:00 UTC"),
        ("de", "02.01.2026 12:00:00 UTC"), ("it", "02/01/2026 12:00:00 UTC"), ("pt", "02/01/2026 12:00:00 UTC"),
        ("ja", "2026/01/02 12:00:00 UTC"), ("ar", "02/01/2026 12:00:00 UTC"),
    ])
    func `a date has the local format`(code: String, text: String) {
        #expect(ReceiptLocale(code: code)?.format(date: "2026-01-02 12:00:00", zone: "UTC") == text)
    }

    @Test(arguments: ["", "yesterday", "2026-13-02 12:00:00", "2026-00-02 1", "--", "2026-01 12:00"])
    func `an invalid date stays unchanged`(date: String) {
        #expect(ReceiptLocale.english.format(date: date, zone: nil) == date)
    }

    @Test(arguments: [("de", "de"), ("de-AT", "de"), ("pt_BR.UTF-8", "pt"), ("JA", "ja")])
    func `a language is found by its code, whatever the region`(code: String, found: String) {
        #expect(ReceiptLocale(code: code)?.code == found)
    }

    @Test(arguments: ["", "english", "xx", "e", "-"])
    func `an unknown language is not found`(code: String) {
        #expect(ReceiptLocale(code: code) == nil)
    }

    @Test(arguments: ReceiptLocale.all)
    func `every language has its own words for the outcomes`(locale: ReceiptLocale) throws {
        for kind in [ReceiptContent.Kind.sale, .refund] {
            for outcome in [ReceiptContent.Outcome.approved, .declined, .canceled, .unknown] {
                for copy in ReceiptCopy.allCases {
                    var document = ReceiptDocument(
                        ReceiptSamples.content(kind, outcome), copy: copy, isDuplicate: true)
                    document.card?.cardholderVerification = .offlinePINAndSignature
                    let blocks = ReceiptComposer(locale: locale).compose(document)
                    for block in blocks {
                        switch block {
                        case .title(let text), .text(let text, _, _), .signature(let text): #expect(text != "")
                        case .row(let name, let value, _): #expect(name != "" && value != "")
                        case .logo, .rule, .code, .barcode, .space, .cut: break
                        }
                    }
                    guard locale != .english else { continue }
                    let english = ReceiptComposer(locale: .english).compose(document)
                    #expect(blocks.count == english.count)
                    let titles = zip(blocks, english).filter { if case .title = $0.0 { true } else { false } }
                    let last = try #require(titles.last)
                    #expect(last.0 != last.1)
                }
            }
        }
    }
}
