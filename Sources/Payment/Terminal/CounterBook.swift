public import Money
public import Payments

/// The transactions of a terminal by the numbers on their receipts, and the batch that is open.
public struct CounterBook: Sendable {
    /// One transaction that was approved.
    public struct Entry: Sendable {
        /// What it did to the money of the payment.
        public enum Kind: Sendable {
            case charge
            case hold
            /// A refund, a reversal, or a release: it can't be taken back.
            case givenBack
        }

        public let kind: Kind
        public let key: IdempotencyKey
        public let payment: PaymentID
        /// What tells the card from others, such as its name in a session.
        public let card: String
        public let brand: String
        public let amount: Money
        /// The number on its receipt, 1...9999; 0 before it is entered.
        public fileprivate(set) var receipt = 0
        /// The number of its message, 1...999,999; 0 before it is entered.
        public fileprivate(set) var trace = 0
        fileprivate var batch = 0
        /// Whether a later transaction took it back, captured it, or released it.
        public fileprivate(set) var isOver = false

        /// Takes a transaction that has no numbers yet.
        public init(kind: Kind, key: IdempotencyKey, payment: PaymentID, card: String, brand: String, amount: Money) {
            (self.kind, self.key, self.payment) = (kind, key, payment)
            (self.card, self.brand, self.amount) = (card, brand, amount)
        }
    }

    private var entries: [Entry] = []
    /// The number of transactions that there ever were.
    private var entered = 0
    private var batch = 1
    private var lastTrace = 0
    /// What the open batch has of transactions that are forgotten.
    private var carried: (lines: [TerminalTotals.Line], receipts: (first: Int, last: Int)) = ([], (0, 0))

    /// Makes a book without transactions.
    public init() {}

    /// Counts a message to the host.
    public mutating func nextTrace() -> Int {
        lastTrace = lastTrace % 999_999 + 1
        return lastTrace
    }

    /// Enters a transaction under the next number.
    public mutating func enter(_ entry: Entry) -> Entry {
        var entry = entry
        (entry.receipt, entry.trace, entry.batch) = (entered % 9999 + 1, nextTrace(), batch)
        entered += 1
        entries.append(entry)
        return entry
    }

    /// Returns the newest transaction that a reference is to.
    public func entry(_ reference: TransactionReference) -> Entry? {
        entries.last { entry in
            switch reference {
            case .request(let key): entry.key == key
            case .receipt(let number): entry.receipt == number
            }
        }
    }

    /// Whether a transaction is of the batch that is open.
    public func isOpen(_ entry: Entry) -> Bool { entry.batch == batch }

    /// Returns the charges of a card that stand, the newest first.
    public func charges(of card: String) -> [Entry] {
        entries.reversed().filter { $0.kind == .charge && $0.card == card && !$0.isOver }
    }

    /// Says that a transaction does not stand any more.
    public mutating func end(_ entry: Entry) {
        guard let index = entries.lastIndex(where: { $0.trace == entry.trace && $0.receipt == entry.receipt }) else {
            return
        }
        entries[index].isOver = true
    }

    /// The charges of the open batch that stand, by brand, in the order of their first charges.
    public var lines: [TerminalTotals.Line] {
        var lines = carried.lines
        for entry in entries where isOpen(entry) && entry.kind == .charge && !entry.isOver {
            let place = lines.firstIndex { $0.brand == entry.brand }
            let old = place.map { lines[$0] } ?? .init(brand: entry.brand, count: 0, amount: 0)
            let line = TerminalTotals.Line(
                brand: entry.brand, count: old.count + 1, amount: old.amount + entry.amount.minorUnits)
            if let place { lines[place] = line } else { lines.append(line) }
        }
        return lines
    }

    /// The first and last receipt of the open batch; 0 without one.
    public var receipts: (first: Int, last: Int) {
        let open = entries.filter(isOpen)
        let (first, last) = carried.receipts
        return (first > 0 ? first : open.first?.receipt ?? 0, open.last?.receipt ?? last)
    }

    /// Closes the batch: what is in it can be given back, and not taken back any more.
    public mutating func closeBatch() {
        batch += 1
        carried = ([], (0, 0))
    }

    /// Whether an amount is held.
    public var hasHolds: Bool { entries.contains { $0.kind == .hold && !$0.isOver } }

    /// Forgets all transactions, so that none can be referred to. The numbers go on, and so do the totals of the open
    /// batch.
    public mutating func forgetTransactions() {
        carried = (lines, receipts)
        entries = []
    }
}

/// A change of a payment that was taken before.
public enum CounterChange: Sendable {
    /// Charges what is held, or a part of it.
    case capture(Money?)
    /// Releases what is held.
    case release
    /// Gives back a payment as a whole, or an amount of it.
    case refund(Money?)

    /// What was asked for; nil for all.
    public var amount: Money? {
        switch self {
        case .capture(let amount), .refund(let amount): amount
        case .release: nil
        }
    }

    /// What it enters into the book.
    public var kind: CounterBook.Entry.Kind {
        if case .capture = self { .charge } else { .givenBack }
    }
}

extension CounterBook {
    /// What follows from a request about an earlier transaction.
    public enum Plan: Sendable {
        case planned(CounterChange)
        case refused(TerminalFailure)
    }

    /// Decides what a request about an earlier transaction changes.
    public func plan(for operation: TerminalOperation, about entry: Entry?) -> Plan {
        switch operation {
        case .giveBack(_, let amount): return .planned(.refund(amount))
        case .reversal(_, let amount): return plan(ofReversal: entry, amount)
        case .release, .capture:
            guard let entry else { return .refused(.unknownTransaction) }
            guard entry.kind == .hold, !entry.isOver else { return .refused(.notReversible) }
            guard case .capture(_, let amount) = operation else { return .planned(.release) }
            return plan(ofCapture: amount, entry.amount)
        default: return .refused(.notSupported)
        }
    }

    private func plan(ofReversal entry: Entry?, _ amount: Money?) -> Plan {
        guard let entry else { return .refused(.unknownTransaction) }
        guard !entry.isOver else { return .refused(entry.kind == .charge ? .alreadyReversed : .notReversible) }
        guard amount == nil || amount == entry.amount else { return .refused(.notReversible) }
        switch entry.kind {
        case .hold: return .planned(.release)
        case .charge: return isOpen(entry) ? .planned(.refund(nil)) : .refused(.notReversible)
        case .givenBack: return .refused(.notReversible)
        }
    }

    private func plan(ofCapture amount: CaptureAmount, _ held: Money) -> Plan {
        switch amount {
        case .all: return .planned(.capture(nil))
        case .part(let part):
            return part.minorUnits > held.minorUnits ? .refused(.amountTooLarge) : .planned(.capture(part))
        case .allBut(let unused):
            guard unused.minorUnits != held.minorUnits else { return .planned(.release) }
            guard unused.minorUnits < held.minorUnits,
                let used = try? Money(minorUnits: held.minorUnits - unused.minorUnits, currency: held.currency)
            else { return .refused(.amountTooLarge) }
            return .planned(.capture(used))
        }
    }
}
