public import Determinism
import Money
import Payments
public import Terminal

/// The sales of a terminal since its last reconciliation.
public struct NexoBatch: Sendable {
    private var sales: [(brand: String, amount: Money)] = []
    private var receipts: [Int] = []

    /// Makes one without sales.
    public init() {}

    /// Adds what was charged.
    public mutating func add(_ operation: TerminalOperation, _ outcome: TerminalOutcome) {
        guard let transaction = outcome.transaction else { return }
        switch operation {
        case .payment, .capture:
            sales.append((transaction.card?.brand ?? "", transaction.amount))
            receipts.append(transaction.receiptNumber)
        default: break
        }
    }

    /// The totals by brand, in the currency of the first sale; nil without sales.
    public func totals(at date: CivilDate) -> TerminalTotals? {
        guard let currency = sales.first?.amount.currency else { return nil }
        let known = sales.filter { $0.amount.currency == currency }
        let lines = Set(known.map(\.brand)).sorted().map { brand in
            let amounts = known.filter { $0.brand == brand }.map(\.amount.minorUnits)
            return TerminalTotals.Line(brand: brand, count: amounts.count, amount: amounts.reduce(0, +))
        }
        return TerminalTotals(
            firstReceipt: receipts.first ?? 0, lastReceipt: receipts.last ?? 0, trace: 0, date: date,
            currency: currency, lines: lines)
    }
}
