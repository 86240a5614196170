import Money

/// The totals of a batch, as a settlement has them: numbers of transactions, and their amounts in minor units of one
/// currency (ISO 8583, fields 74 to 77 and 86 to 89).
public struct SettlementTotals: Hashable, Sendable, Codable {
    /// The number of transactions of one kind, and the sum of their amounts.
    public struct Line: Hashable, Sendable, Codable {
        public var count: Int64
        public var amount: Int64

        /// Takes a number of transactions and the sum of their amounts in minor units.
        public init(count: Int64 = 0, amount: Int64 = 0) { (self.count, self.amount) = (count, amount) }

        mutating func add(_ amount: Int64) {
            count += 1
            self.amount += amount
        }
    }

    /// Sales, and advices of sales that the card approved offline. With those of ``debitReversals``.
    public var debits: Line
    /// The debits that were taken back.
    public var debitReversals: Line
    /// Refunds, with those of ``creditReversals``.
    public var credits: Line
    /// The credits that were taken back.
    public var creditReversals: Line

    /// Takes the four lines of a settlement; a kind that is left out has no transactions.
    public init(
        debits: Line = Line(), debitReversals: Line = Line(), credits: Line = Line(), creditReversals: Line = Line()
    ) {
        (self.debits, self.debitReversals) = (debits, debitReversals)
        (self.credits, self.creditReversals) = (credits, creditReversals)
    }

    /// What the acquirer owes the merchant, in minor units; negative when the merchant owes.
    public var net: Int64 { debits.amount - debitReversals.amount - credits.amount + creditReversals.amount }

    /// Adds up attempts that are captured or reversed. Others count nothing.
    ///
    /// - Parameters:
    ///   - attempts: the attempts of a batch.
    ///   - countsReversed: whether a transaction that was taken back counts twice: once as itself, and once as a
    ///     reversal. Otherwise it counts nowhere.
    public init(of attempts: some Sequence<PaymentAttempt>, countsReversed: Bool) {
        self.init()
        for attempt in attempts {
            let amount = attempt.amount.minorUnits
            switch (attempt.kind, attempt.state) {
            case (.sale, .captured): debits.add(amount)
            case (.refund, .captured): credits.add(amount)
            case (.sale, .reversed) where countsReversed:
                debits.add(amount)
                debitReversals.add(amount)
            case (.refund, .reversed) where countsReversed:
                credits.add(amount)
                creditReversals.add(amount)
            default: continue
            }
        }
    }
}
