import Payments
import Receipts
import Testing

@Suite("A receipt as HTML")
struct HTMLTests {
    private func html(
        _ document: ReceiptDocument, _ locale: ReceiptLocale = .english, _ paper: PaperSize = .roll80
    ) throws -> String {
        let composer = ReceiptComposer(locale: locale)
        return try HTMLRenderer(locale: locale, paper: paper).render(
            composer.compose(document), title: composer.title(document))
    }

    @Test func `outside text is never markup`() throws {
        var document = ReceiptSamples.full
        document.merchant.name = "<script>alert('1')</script> & \"Sons\""
        document.items[0].title = "</div><img src=x onerror=y>"
        let html = try html(document)
        #expect(html.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;Sons&quot;"))
        #expect(html.contains("&lt;/div&gt;&lt;img src=x onerror=y&gt;"))
        #expect(!html.contains("<script") && !html.contains("<img"))
    }

    @Test(arguments: ReceiptLocale.all)
    func `it has the direction of its language`(locale: ReceiptLocale) throws {
        let direction = locale.code == "ar" ? "rtl" : "ltr"
        #expect(try html(ReceiptSamples.full, locale).contains("<html lang=\"\(locale.code)\" dir=\"\(direction)\">"))
    }

    @Test func `it needs no other file`() throws {
        let html = try html(ReceiptSamples.full)
        for reference in ["http://", "https://", "<link", "url(", "src="] {
            #expect(!html.replacing("http://www.w3.org/2000/svg", with: "").contains(reference))
        }
        #expect(html.contains("<svg") && html.hasSuffix("</html>\n"))
    }

    @Test func `a page has columns, and a roll has none`() throws {
        #expect(try html(ReceiptSamples.full, .english, .a4).contains("<div class=\"beside\">"))
        #expect(try !html(ReceiptSamples.full).contains("beside"))
    }

    @Test(arguments: PaperSize.allCases)
    func `it has the same text as a text receipt`(paper: PaperSize) throws {
        let html = try html(ReceiptSamples.full, .english, paper)
        for line in [
            "Winter sale", "Corner Shop", "2 × Hoodie", "$1,200.00", "  Size: M", "-$10.00", "VISA CREDIT",
            "A0000000031010", "**** **** **** 0010", "VERIFIED BY PIN", "CUSTOMER COPY", "Thank you",
        ] {
            #expect(html.contains(">\(line)<"), "\(line)")
        }
    }
}
