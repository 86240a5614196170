import Payments
import Receipts
import Testing

@Suite("Columns of a text")
struct DisplayWidthTests {
    // EastAsianWidth.txt: W and F take two columns
    @Test(arguments: [
        ("", 0), ("Shop", 4), ("Café", 4), ("Cafe\u{301}", 4), ("日本", 4), ("ﾃｽﾄ", 3), ("Ａ", 2), ("한글", 4),
        ("😀", 2), ("👩‍👩‍👧", 2), ("🇫🇷", 2), ("❤️", 2), ("مرحبا", 5), ("a\u{2066}b\u{2069}", 2),
    ])
    func `every character takes zero, one, or two columns`(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test(arguments: ReceiptLocale.all, [1, 24, 32, 42, 48, 80, 500])
    func `no line of a receipt is wider than the paper`(locale: ReceiptLocale, width: Int) {
        var document = ReceiptSamples.full
        document.merchant.name = "小さな店とたいへん長い名前の株式会社 😀😀😀😀😀😀😀😀😀😀 \(String(repeating: "x", count: 90))"
        let text = ReceiptSamples.text(document, locale, width: width)
        let widest = text.split(separator: "\n").map { DisplayWidth.of($0) }.max()
        #expect(widest.map { $0 <= min(max(width, 24), 80) } == true)
    }
}
