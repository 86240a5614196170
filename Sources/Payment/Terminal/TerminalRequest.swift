public import Money
public import Payments

/// A till that uses a terminal: the name that its protocol, or the terminal's configuration, gives it.
public struct TillID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String

    /// Takes a name as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }
}

/// A till's request to a terminal.
///
/// The key makes the request repeatable: a till that lost the answer sends the same key again and gets the same answer,
/// and nothing happens twice.
public struct TerminalRequest: Hashable, Sendable {
    /// The name of this request among all of the terminal. A protocol without one makes it.
    public let key: IdempotencyKey
    public let till: TillID
    public let operation: TerminalOperation
    /// The characters of a line of the till's receipts, or of the terminal's printer.
    public let receiptColumns: Int
    /// Whether the terminal itself made it, to take back what did not arrive.
    public let isAutomatic: Bool

    /// Takes a request as it is.
    public init(
        key: IdempotencyKey, till: TillID, operation: TerminalOperation, receiptColumns: Int = 40,
        isAutomatic: Bool = false
    ) {
        (self.key, self.till, self.operation) = (key, till, operation)
        (self.receiptColumns, self.isAutomatic) = (receiptColumns, isAutomatic)
    }

    /// Returns this request with a tip that the customer added at the reader. Nil when it takes no payment, has a tip,
    /// or amount and tip have no sum.
    public func adding(tip: Money) -> TerminalRequest? {
        let whole: TerminalOperation
        switch operation {
        case .payment(let amount, nil):
            guard let sum = try? amount.adding(tip) else { return nil }
            whole = .payment(amount: sum, tip: tip)
        case .preauthorization(let amount):
            guard let sum = try? amount.adding(tip) else { return nil }
            whole = .preauthorization(amount: sum)
        default: return nil
        }
        return TerminalRequest(
            key: key, till: till, operation: whole, receiptColumns: receiptColumns, isAutomatic: isAutomatic)
    }

    /// Whether another request with the same key is this one again. The width of receipts may differ.
    func isSame(as other: TerminalRequest) -> Bool { till == other.till && operation == other.operation }
}

/// One thing that a terminal does.
public enum TerminalOperation: Hashable, Sendable {
    /// Charges a card. The amount includes the tip.
    case payment(amount: Money, tip: Money? = nil)
    /// Gives money to a card that is presented.
    case refund(amount: Money)
    /// Holds an amount, to be captured or released later.
    case preauthorization(amount: Money)
    /// Charges a held amount, or a part of it, and releases the rest. Needs no card.
    case capture(of: TransactionReference, CaptureAmount)
    /// Releases a held amount. Needs no card.
    case release(of: TransactionReference)
    /// Takes back a transaction of the open batch. With an amount, the transaction must have that amount. Needs no
    /// card.
    case reversal(of: TransactionReference, amount: Money? = nil)
    /// Gives back a payment, or a part of it, also of an earlier batch. Needs no card.
    case giveBack(of: TransactionReference, amount: Money)
    /// Reads a card and keeps it for the till's next request. It holds the terminal until
    /// ``TerminalModel/confirm(_:)``.
    case cardReading
    /// Settles the open batch with the host.
    case endOfDay
    /// Reads the totals of the open batch, and closes nothing.
    case totals
    /// Signs the terminal on at its host.
    case signOn
    /// Tests the way to the host.
    case diagnosis
    /// Shows lines to the customer.
    case display([String])
    /// Asks the customer.
    case input(TerminalInput)
    /// Prints at the terminal.
    case print([TerminalReceipt])

    /// Whether money, or the hold on it, may move.
    public var movesMoney: Bool {
        switch self {
        case .payment, .refund, .preauthorization, .capture, .release, .reversal, .giveBack: true
        case .cardReading, .endOfDay, .totals, .signOn, .diagnosis, .display, .input, .print: false
        }
    }

    /// The amount of a payment, refund, or pre-authorization with a card; nil for others.
    public var cardAmount: Money? {
        switch self {
        case .payment(let amount, _), .refund(let amount), .preauthorization(let amount): amount
        default: nil
        }
    }

    /// Whether a card is presented for it.
    public var needsCard: Bool {
        switch self {
        case .payment, .refund, .preauthorization, .cardReading: true
        case .capture, .release, .reversal, .giveBack, .endOfDay, .totals, .signOn, .diagnosis, .display, .input,
            .print:
            false
        }
    }
}

/// The transaction that another one is about.
public enum TransactionReference: Hashable, Sendable {
    /// The number on its receipt, 1...9999.
    case receipt(Int)
    /// The key of the request that made it.
    case request(IdempotencyKey)
}

/// How much of a held amount is charged.
public enum CaptureAmount: Hashable, Sendable {
    case all
    /// This amount.
    case part(Money)
    /// The held amount less this one.
    case allBut(Money)
}

/// A question to the customer.
public struct TerminalInput: Hashable, Sendable {
    /// The form of the answer.
    public enum Kind: Hashable, Sendable {
        /// Yes or no.
        case confirmation
        /// Digits, at most so many. Never a PIN: a PIN goes to the card or to the host only.
        case digits(maximum: Int)
        /// Text, at most so many characters.
        case text(maximum: Int)
    }

    public let prompt: String
    public let kind: Kind

    /// Takes a prompt in the language of the customer.
    public init(prompt: String, kind: Kind) { (self.prompt, self.kind) = (prompt, kind) }
}

/// A receipt as lines of text, laid out for the width that the till asked for.
public struct TerminalReceipt: Hashable, Sendable {
    /// For whom it is.
    public enum Kind: Hashable, Sendable {
        case merchant
        case customer
        /// Of an administrative operation, such as the end of the day.
        case administration
    }

    /// A line.
    public struct Line: Hashable, Sendable {
        public let text: String
        public let isCentered: Bool
        /// Twice as wide, so that half as many characters fit.
        public let isWide: Bool

        /// Takes a line without its line end.
        public init(_ text: String, isCentered: Bool = false, isWide: Bool = false) {
            (self.text, self.isCentered, self.isWide) = (text, isCentered, isWide)
        }
    }

    public let kind: Kind
    public let lines: [Line]
    /// Whether it is of something that was approved or done.
    public let isPositive: Bool
    /// Whether it has a place for the cardholder's signature.
    public let needsSignature: Bool

    /// Takes lines without card data: a card number has at most its last four digits.
    public init(kind: Kind, lines: [Line], isPositive: Bool = true, needsSignature: Bool = false) {
        (self.kind, self.lines) = (kind, lines)
        (self.isPositive, self.needsSignature) = (isPositive, needsSignature)
    }
}

/// How long terminals wait for people and readers. Every wait of a till has an end.
public enum TerminalPatience {
    /// For a card, or for the customer's answer.
    public static let cardholder = Duration.seconds(180)
}
