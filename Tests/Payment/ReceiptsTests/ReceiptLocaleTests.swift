import Payments
import Testing

@testable import Receipts

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
    func `every language has its own text for every reason`(locale: ReceiptLocale) {
        let texts = ReceiptReason.allCases.compactMap(locale.labels.reasons.text)
        #expect(texts.count == ReceiptReason.allCases.count - 1 && Set(texts).count == texts.count)
        let english = Set(ReceiptReason.allCases.compactMap(ReceiptLocale.english.labels.reasons.text))
        #expect(locale == .english || english.isDisjoint(with: texts))
    }

    private static let inside = "the issuer could not be asked: the simulated issuer is switched off"

    @Test(arguments: ReceiptLocale.all, ReceiptCopy.allCases)
    func `a reason is printed in the receipt's language, without the program's own words`(
        locale: ReceiptLocale, copy: ReceiptCopy
    ) throws {
        let content = ReceiptSamples.content(
            .sale, .canceled, reason: Self.inside, reasonCode: .issuerUnreachable)
        let text = ReceiptSamples.text(ReceiptDocument(content, copy: copy), locale, width: 80)
        #expect(text.contains(locale.labels.reasons.issuerUnreachable))
        #expect(!text.contains("issuer could not be asked") && !text.contains("simulated"))
    }

    @Test(arguments: [ReceiptReason?.none, .other])
    func `a reason without a text is for the merchant only`(code: ReceiptReason?) throws {
        let content = ReceiptSamples.content(.sale, .declined, reason: Self.inside, reasonCode: code)
        let (merchant, customer) = (
            ReceiptDocument(content, copy: .merchant), ReceiptDocument(content, copy: .customer)
        )
        #expect(ReceiptSamples.text(merchant, .german, width: 80).contains(Self.inside))
        #expect(!ReceiptSamples.text(customer, .german, width: 80).contains("issuer"))
        #expect(try JSONRenderer().render(merchant).contains(Self.inside))
    }

    @Test func `a suspected fraud reads like any other decline`() {
        #expect(ReceiptReason(DeclineReason.fraud) == .notApproved)
        #expect(ReceiptReason(DeclineReason.generic) == .notApproved)
        #expect(ReceiptReason(TerminalDeclineReason.onExceptionFile) == .declinedByTerminal)
    }

    @Test(arguments: ReceiptLocale.all)
    func `every language has its own words for the outcomes`(locale: ReceiptLocale) throws {
        for kind in [ReceiptContent.Kind.sale, .refund] {
            for outcome in [ReceiptContent.Outcome.approved, .declined, .canceled, .unknown] {
                for copy in ReceiptCopy.allCases {
                    var document = ReceiptDocument(
                        ReceiptSamples.content(kind, outcome), copy: copy, isDuplicate: true)
                    document.card?.cardholderVerification = .offlinePINAndSignature
                    let blocks = ReceiptComposer(locale: locale).compose(document).stacked
                    for block in blocks {
                        switch block {
                        case .title(let text), .text(let text, _, _), .signature(let text): #expect(text != "")
                        case .row(let name, let value, _): #expect(name != "" && value != "")
                        case .logo, .rule, .code, .barcode, .space, .cut, .beside: break
                        }
                    }
                    guard locale != .english else { continue }
                    let english = ReceiptComposer(locale: .english).compose(document).stacked
                    #expect(blocks.count == english.count)
                    let titles = zip(blocks, english).filter { if case .title = $0.0 { true } else { false } }
                    let last = try #require(titles.last)
                    #expect(last.0 != last.1)
                }
            }
        }
    }
}
