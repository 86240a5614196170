import Text

/// The net amount of a settlement (field 97): a sign and sixteen digits. In 2003, the currency and the number of its
/// decimals come before the digits.
public struct NetAmount: Hashable, Sendable {
    public var amount: SignedAmount
    /// The currency, ISO 4217 numeric, three digits. Nil before 2003, when only field 50 has it.
    public var currency: String?
    /// The decimals of the currency, 0...9. Nil before 2003.
    public var exponent: Int?

    private static let digits = 16
    /// The digits of currency and decimals in 2003.
    private static let front = 4

    public init(_ amount: SignedAmount, currency: String? = nil, exponent: Int? = nil) {
        (self.amount, self.currency, self.exponent) = (amount, currency, exponent)
    }

    /// Reads the field. Nil when it is something else.
    public init?(_ text: String, _ version: MessageVersion) {
        let front = version == .v2003 ? Self.front : 0
        guard text.utf8.count == 1 + front + Self.digits, let sign = text.first,
            let amount = SignedAmount("\(sign)" + text.suffix(Self.digits))
        else { return nil }
        self.init(amount)
        guard version == .v2003 else { return }
        let parts = text.dropFirst().prefix(front)
        guard FieldDigits.number(parts) != nil else { return nil }
        (currency, exponent) = (String(parts.prefix(3)), Int(parts.suffix(1)))
    }

    /// Returns the field; nil when a part does not fit, or is missing in 2003.
    public func text(_ version: MessageVersion) -> String? {
        guard let text = amount.text(digits: Self.digits) else { return nil }
        guard version == .v2003 else { return text }
        guard let currency, currency.utf8.count == 3, FieldDigits.number(currency) != nil, let exponent,
            (0...9).contains(exponent)
        else { return nil }
        return "\(text.prefix(1))\(currency)\(exponent)\(text.dropFirst())"
    }
}

/// The totals of a settlement in field 74 of 2003: six numbers of ten digits, each with an amount of sixteen digits, in
/// 78 bytes of packed digits.
///
/// The standard leaves the meaning of the six to the parties. Here, they are credits, their reversals, debits, their
/// reversals, and two that are zero.
public struct ReconciliationData: Hashable, Sendable {
    public struct Total: Hashable, Sendable {
        public var number: Int64
        /// In minor units.
        public var amount: Int64

        public init(number: Int64 = 0, amount: Int64 = 0) { (self.number, self.amount) = (number, amount) }
    }

    public var credits: Total
    public var creditReversals: Total
    public var debits: Total
    public var debitReversals: Total

    private static let (numberDigits, amountDigits, totals) = (10, 16, 6)
    /// The bytes of the field.
    public static let length = (numberDigits + amountDigits) * totals / 2

    public init(
        credits: Total = Total(), creditReversals: Total = Total(), debits: Total = Total(),
        debitReversals: Total = Total()
    ) {
        (self.credits, self.creditReversals) = (credits, creditReversals)
        (self.debits, self.debitReversals) = (debits, debitReversals)
    }

    /// Reads the field. Nil when it is something else.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        let digits = bytes.flatMap { [$0 >> 4, $0 & 0xF] }
        guard digits.allSatisfy({ $0 < 10 }) else { return nil }
        func number(_ start: Int, _ count: Int) -> Int64 {
            digits[start..<start + count].reduce(0) { $0 * 10 + Int64($1) }
        }
        let found = (0..<Self.totals).map { place in
            let start = place * (Self.numberDigits + Self.amountDigits)
            return Total(
                number: number(start, Self.numberDigits),
                amount: number(start + Self.numberDigits, Self.amountDigits))
        }
        self.init(credits: found[0], creditReversals: found[1], debits: found[2], debitReversals: found[3])
    }

    /// The bytes of the field; nil when a number or an amount has too many digits.
    public var bytes: [UInt8]? {
        var digits = ""
        for total in [credits, creditReversals, debits, debitReversals, Total(), Total()] {
            guard let number = FieldDigits.text(total.number, digits: Self.numberDigits),
                let amount = FieldDigits.text(total.amount, digits: Self.amountDigits)
            else { return nil }
            digits += number + amount
        }
        return [UInt8](hexadecimal: digits)
    }
}
