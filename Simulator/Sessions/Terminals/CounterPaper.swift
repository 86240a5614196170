import Money
public import Payments
public import Terminal
import Text

/// Lays out the receipts of a counter for the till.
public struct CounterPaper: Sendable {
    /// The characters of a line; nil for a counter without receipts.
    let columns: Int?

    /// Takes the characters of a line; nil for a counter without receipts.
    public init(columns: Int?) { self.columns = columns }

    /// The lines of a receipt have at least this many characters.
    private static let fewestColumns = 24
    private static let mostColumns = 80

    /// Returns the copies of the newest receipt of a payment; none when it has none.
    func receipts(of payment: Payment, _ session: SimulatedSession) async -> [TerminalReceipt] {
        await receipts(of: payment) { copy, width in
            try? await session.receipt(of: payment.id, copy: copy, width: width)
        }
    }

    /// Returns the copies of the newest receipt of a payment; none when it has none.
    ///
    /// - Parameters:
    ///   - payment: the payment.
    ///   - text: makes a copy with this many characters in a line.
    /// - Returns: the merchant's copy and the customer's.
    public func receipts(
        of payment: Payment, text: @Sendable (ReceiptCopy, Int) async -> String?
    ) async -> [TerminalReceipt] {
        guard let columns else { return [] }
        let width = min(max(columns, Self.fewestColumns), Self.mostColumns)
        var receipts: [TerminalReceipt] = []
        for (kind, copy) in [(TerminalReceipt.Kind.merchant, ReceiptCopy.merchant), (.customer, .customer)] {
            guard let text = await text(copy, width) else { continue }
            let needsSignature =
                copy == .merchant && payment.outcome == .approved
                && payment.card?.cardholderVerification.needsSignature == true
            receipts.append(
                TerminalReceipt(
                    kind: kind, lines: Self.lines(of: text, width), isPositive: payment.outcome == .approved,
                    needsSignature: needsSignature))
        }
        return receipts
    }

    private static func lines(of text: String, _ width: Int) -> [TerminalReceipt.Line] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines.map { TerminalReceipt.Line(withEuros($0, width)) }
    }

    /// Writes the euro sign in letters, because tills' characters rarely have it, and takes the room out of a gap.
    private static func withEuros(_ line: String, _ width: Int) -> String {
        var line = line.replacing("€", with: "EUR ")
        while line.count > width, let gap = line.firstRange(of: "  ") { line.remove(at: gap.lowerBound) }
        return line
    }

    /// Returns the receipt of an end of day, or of its totals: a line for each brand, and the sum.
    public static func receipt(of totals: TerminalTotals) -> TerminalReceipt {
        let sum = totals.lines.reduce(0) { $0 + $1.amount }
        let count = totals.lines.reduce(0) { $0 + $1.count }
        var lines = [TerminalReceipt.Line("TOTALS", isCentered: true)]
        lines.append(TerminalReceipt.Line("RECEIPTS \(totals.firstReceipt)-\(totals.lastReceipt)"))
        for line in totals.lines { lines.append(text(line.brand, line.count, line.amount, totals.currency)) }
        lines.append(text("sum", count, sum, totals.currency))
        return TerminalReceipt(kind: .administration, lines: lines)
    }

    private static func text(
        _ name: String, _ count: Int, _ amount: Int64, _ currency: Currency
    ) -> TerminalReceipt.Line {
        let sum = (try? Money(minorUnits: amount, currency: currency))?.description ?? "\(amount)"
        return TerminalReceipt.Line("\(name.uppercased()) \(count.zeroPadded(to: 3)) \(sum)")
    }
}
