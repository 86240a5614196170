/// A receipt that shows what a printer can do, and sells nothing.
public struct TestReceipt: Hashable, Sendable {
    private let printer: String
    private let columns: Int?
    private let date: String

    /// - Parameters:
    ///   - printer: its name.
    ///   - columns: of the printer's own letters; nil for one that draws pages.
    ///   - date: when it is printed, for people.
    public init(printer: String, columns: Int?, date: String) {
        (self.printer, self.columns, self.date) = (printer, columns, date)
    }

    /// Letters of several tables, each of which a receipt printer must select; a ruler; a code; a cut.
    public var blocks: [ReceiptBlock] {
        [
            .title("PRINTER TEST"), .text(ReceiptText.printable(printer), isStrong: true), .text(date), .rule,
            .row("Western", "ÄÖÜäöüß ÀÉàéèç ñ¿¡"), .row("Currencies", "$ £ ¥ €"), .row("Central", "ąćęłńóśźż řšž"),
            .row("Cyrillic", "Привет"), .row("Bold", "1,234.50", isStrong: true), .rule,
        ] + ruler + [.text("A code with the printer's name:"), .code(printer), .text("The paper is cut below."), .cut]
    }

    /// The number of each column, so that a line that is too wide for the paper is seen at once.
    private var ruler: [ReceiptBlock] {
        guard let columns else { return [.text("The lines above and below are as wide as the paper."), .rule] }
        let tens = (1...columns).map { $0.isMultiple(of: 10) ? String($0 / 10 % 10) : " " }.joined()
        let ones = (1...columns).map { String($0 % 10) }.joined()
        return [
            .text(tens, .leading), .text(ones, .leading), .text("\(columns) columns, and not one line broken"), .rule,
        ]
    }
}
