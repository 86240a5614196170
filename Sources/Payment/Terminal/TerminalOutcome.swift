public import Determinism
public import Money
public import Payments

/// How a request of a till ended. There is no "perhaps": a terminal that does not know yet is still at work
/// (``TerminalProgress/recovering``).
public enum TerminalOutcome: Hashable, Sendable {
    /// Money moved, or is held.
    case approved(TerminalTransaction)
    /// The issuer or the card declined, and no money moved.
    case declined(TerminalDecline)
    /// Ended before the issuer was asked.
    case canceled(TerminalCancellation)
    /// Not carried out, and no money moved; or it moved and was taken back.
    case failed(TerminalFailure)
    /// An operation without a card was carried out.
    case done(TerminalReport)

    /// The transaction; nil unless it was approved.
    public var transaction: TerminalTransaction? {
        if case .approved(let transaction) = self { transaction } else { nil }
    }

    /// Returns the outcome with receipts for the till, if it is one that has receipts.
    public func adding(_ receipts: [TerminalReceipt]) -> TerminalOutcome {
        switch self {
        case .approved(let approved):
            .approved(
                TerminalTransaction(
                    receiptNumber: approved.receiptNumber, trace: approved.trace,
                    originalTrace: approved.originalTrace, amount: approved.amount, date: approved.date,
                    card: approved.card, isOnline: approved.isOnline, receipts: receipts))
        case .declined(let decline):
            .declined(
                TerminalDecline(
                    responseCode: decline.responseCode, date: decline.date, card: decline.card, receipts: receipts))
        case .canceled, .failed, .done: self
        }
    }
}

/// A transaction that was approved.
public struct TerminalTransaction: Hashable, Sendable {
    /// The number on its receipt, 1...9999.
    public let receiptNumber: Int
    /// The number of its message to the host, 1...999,999.
    public let trace: Int
    /// The number of the message that it took back or captured; nil for others.
    public let originalTrace: Int?
    public let amount: Money
    /// Local time of the terminal.
    public let date: CivilDate
    /// Nil where no card was presented.
    public let card: CardDetails?
    /// Whether the host approved it, and not the card.
    public let isOnline: Bool
    public let receipts: [TerminalReceipt]

    /// Takes the numbers and data of a recorded transaction.
    public init(
        receiptNumber: Int, trace: Int, originalTrace: Int? = nil, amount: Money, date: CivilDate,
        card: CardDetails? = nil, isOnline: Bool = true, receipts: [TerminalReceipt] = []
    ) {
        (self.receiptNumber, self.trace, self.originalTrace) = (receiptNumber, trace, originalTrace)
        (self.amount, self.date, self.card) = (amount, date, card)
        (self.isOnline, self.receipts) = (isOnline, receipts)
    }
}

/// Why nothing was charged although a card was read.
public struct TerminalDecline: Hashable, Sendable {
    /// Two characters of the issuer (ISO 8583, DE 39); nil where the card itself declined.
    public let responseCode: String?
    public let date: CivilDate
    public let card: CardDetails?
    public let receipts: [TerminalReceipt]

    /// The reason in the words of the stack.
    public var reason: DeclineReason { responseCode.map { DeclineReason(responseCode: $0) } ?? .generic }

    /// Takes the response code of the issuer, if it was asked.
    public init(
        responseCode: String?, date: CivilDate, card: CardDetails? = nil, receipts: [TerminalReceipt] = []
    ) {
        (self.responseCode, self.date, self.card, self.receipts) = (responseCode, date, card, receipts)
    }
}

/// The way in which a request ended before the issuer was asked.
public enum TerminalCancellation: Hashable, Sendable, CaseIterable {
    case byTill
    case byCardholder
    /// No card, or no answer, came in time.
    case timedOut
}

/// Why a request was not carried out.
public enum TerminalFailure: Hashable, Sendable, CaseIterable {
    case cardUnreadable
    /// The card was pulled out.
    case cardRemoved
    case cardExpired
    case cardNotAccepted
    case chipError
    case readerDefective
    /// No connection to the host, or no answer: what may have been approved was taken back.
    case hostUnreachable
    /// No transaction has the number.
    case unknownTransaction
    case alreadyReversed
    /// The transaction is there, and can't be taken back.
    case notReversible
    case notSupported
    case outOfPaper
    case wrongCurrency
    case amountTooLarge
    /// The totals of terminal and host differ, or the host does not settle.
    case notSettled
    case internalError
}

/// The state of a payment in the journal, also after changes that no till asked for.
public enum TerminalStanding: Hashable, Sendable {
    /// Approved, and not charged yet.
    case held
    /// Charged: what was captured, and what of it was given back, in minor units.
    case charged(Int64, refunded: Int64)
    /// The hold was released, or the payment taken back.
    case released
}

/// The result of an operation without a card.
public struct TerminalReport: Hashable, Sendable {
    /// Of ``TerminalOperation/endOfDay`` and ``TerminalOperation/totals``.
    public let totals: TerminalTotals?
    /// The customer's answer; `yes` or `no` for a confirmation.
    public let input: String?
    /// The card of ``TerminalOperation/cardReading``.
    public let card: CardDetails?
    public let receipts: [TerminalReceipt]

    /// Takes what the operation has; nothing for most.
    public init(
        totals: TerminalTotals? = nil, input: String? = nil, card: CardDetails? = nil,
        receipts: [TerminalReceipt] = []
    ) {
        (self.totals, self.input, self.card, self.receipts) = (totals, input, card, receipts)
    }
}

/// The sales of a batch by brand.
public struct TerminalTotals: Hashable, Sendable {
    /// The sales of one brand that stand: those that were taken back are not counted. Refunds are not subtracted.
    public struct Line: Hashable, Sendable {
        /// The brand, as ``CardDetails/brand`` has it.
        public let brand: String
        public let count: Int
        /// Minor units of the currency.
        public let amount: Int64

        /// Takes a brand's sales.
        public init(brand: String, count: Int, amount: Int64) {
            (self.brand, self.count, self.amount) = (brand, count, amount)
        }
    }

    /// The first and last receipt of the batch; 0 without one.
    public let firstReceipt: Int
    public let lastReceipt: Int
    public let trace: Int
    public let date: CivilDate
    public let currency: Currency
    public let lines: [Line]

    /// Takes the totals of a batch.
    public init(
        firstReceipt: Int, lastReceipt: Int, trace: Int, date: CivilDate, currency: Currency, lines: [Line]
    ) {
        (self.firstReceipt, self.lastReceipt, self.trace) = (firstReceipt, lastReceipt, trace)
        (self.date, self.currency, self.lines) = (date, currency, lines)
    }
}
