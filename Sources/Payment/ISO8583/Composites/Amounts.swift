import Text

/// An amount with a sign, in the minor units of a currency.
public struct SignedAmount: Hashable, Sendable {
    public enum Sign: String, CaseIterable, Hashable, Sendable {
        case credit = "C"
        case debit = "D"
    }

    public var sign: Sign
    public var minorUnits: Int64

    public init(_ sign: Sign, _ minorUnits: Int64) { (self.sign, self.minorUnits) = (sign, minorUnits) }

    /// Reads a letter C or D and digits. Nil when it is something else.
    public init?(_ text: some StringProtocol) {
        guard let sign = text.first.flatMap({ Sign(rawValue: String($0)) }),
            let units = FieldDigits.number(text.dropFirst())
        else { return nil }
        self.init(sign, units)
    }

    /// Returns letter and digits; nil when the amount has more digits.
    public func text(digits: Int) -> String? {
        FieldDigits.text(minorUnits, digits: digits).map { sign.rawValue + $0 }
    }
}

/// The amounts of a message that really moved, when they differ from those of the original (field 95 of 1987).
public struct ReplacementAmounts: Hashable, Sendable {
    /// In the minor units of field 49.
    public var transaction: Int64
    /// In the minor units of field 50.
    public var settlement: Int64
    public var transactionFee: SignedAmount
    public var settlementFee: SignedAmount

    public init(
        transaction: Int64, settlement: Int64 = 0, transactionFee: SignedAmount = SignedAmount(.credit, 0),
        settlementFee: SignedAmount = SignedAmount(.credit, 0)
    ) {
        (self.transaction, self.settlement) = (transaction, settlement)
        (self.transactionFee, self.settlementFee) = (transactionFee, settlementFee)
    }

    /// Reads 42 characters.
    public init?(_ text: String) {
        let characters = Array(text)
        guard characters.count == 42, let transaction = FieldDigits.number(String(characters[0..<12])),
            let settlement = FieldDigits.number(String(characters[12..<24])),
            let fee = SignedAmount(String(characters[24..<33])),
            let settlementFee = SignedAmount(String(characters[33..<42]))
        else { return nil }
        self.init(
            transaction: transaction, settlement: settlement, transactionFee: fee, settlementFee: settlementFee)
    }

    /// The 42 characters of the field; nil when an amount has too many digits.
    public var text: String? {
        guard let first = FieldDigits.text(transaction, digits: 12),
            let second = FieldDigits.text(settlement, digits: 12), let fee = transactionFee.text(digits: 8),
            let settlementFee = settlementFee.text(digits: 8)
        else { return nil }
        return first + second + fee + settlementFee
    }
}

/// One of the amounts in field 54: a balance, cash back, or the amount that was asked for.
public struct AdditionalAmount: Hashable, Sendable {
    /// Two digits, for example `00`.
    public var account: String
    /// Two digits: 01 ledger balance, 02 available balance, 40 cash back, 57 original amount, …
    public var kind: String
    /// The currency, ISO 4217 numeric.
    public var currency: String
    public var amount: SignedAmount

    public init(account: String = "00", kind: String, currency: String, amount: SignedAmount) {
        (self.account, self.kind, self.currency, self.amount) = (account, kind, currency, amount)
    }

    /// The characters of one amount.
    private static let length = 20
    /// The most amounts of the field.
    private static let most = 6

    /// Reads the whole field: groups of 20 characters. Nil when it is something else.
    public static func list(_ text: String) -> [AdditionalAmount]? {
        let characters = Array(text)
        guard characters.count.isMultiple(of: length), characters.count <= most * length else { return nil }
        var amounts: [AdditionalAmount] = []
        for start in stride(from: 0, to: characters.count, by: length) {
            func part(_ range: Range<Int>) -> String {
                String(characters[start + range.lowerBound..<start + range.upperBound])
            }
            guard let amount = SignedAmount(part(7..<20)) else { return nil }
            amounts.append(
                AdditionalAmount(account: part(0..<2), kind: part(2..<4), currency: part(4..<7), amount: amount))
        }
        return amounts
    }

    /// Returns the whole field; nil when a part does not fit, or with more than six amounts.
    public static func text(_ amounts: [AdditionalAmount]) -> String? {
        guard amounts.count <= most else { return nil }
        var text = ""
        for amount in amounts {
            guard let digits = amount.amount.text(digits: 12) else { return nil }
            let group = amount.account + amount.kind + amount.currency + digits
            guard group.utf8.count == length else { return nil }
            text += group
        }
        return text
    }
}

/// The amount of a transaction (field 4): twelve digits. In 2003, the currency and the number of its decimals come
/// before them.
public struct TransactionAmount: Hashable, Sendable {
    public var minorUnits: Int64
    /// The currency, ISO 4217 numeric, three digits. Nil before 2003, when only field 49 has it.
    public var currency: String?
    /// The decimals of the currency, 0...9. Nil before 2003.
    public var exponent: Int?

    public init(minorUnits: Int64, currency: String? = nil, exponent: Int? = nil) {
        (self.minorUnits, self.currency, self.exponent) = (minorUnits, currency, exponent)
    }

    /// Reads the field. Nil when it is something else.
    public init?(_ text: String, _ version: MessageVersion) {
        guard text.utf8.count == (version == .v2003 ? 16 : 12), FieldDigits.number(text) != nil,
            let units = FieldDigits.number(text.suffix(12))
        else { return nil }
        self.init(minorUnits: units)
        guard version == .v2003 else { return }
        (currency, exponent) = (String(text.prefix(3)), Int(text.dropFirst(3).prefix(1)))
    }

    /// Returns the field; nil when a part does not fit, or is missing in 2003.
    public func text(_ version: MessageVersion) -> String? {
        guard let digits = FieldDigits.text(minorUnits, digits: 12) else { return nil }
        guard version == .v2003 else { return digits }
        guard let currency, currency.utf8.count == 3, FieldDigits.number(currency) != nil, let exponent,
            (0...9).contains(exponent)
        else { return nil }
        return currency + "\(exponent)" + digits
    }
}

/// Digits of fields.
enum FieldDigits {
    /// Reads 1 to 18 digits. Nil when there is something else.
    static func number(_ text: some StringProtocol) -> Int64? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// Returns a number with zeros on the left; nil when it is negative or has more digits.
    static func text(_ number: Int64, digits: Int) -> String? {
        guard number >= 0 else { return nil }
        let text = number.zeroPadded(to: digits)
        return text.utf8.count == digits ? text : nil
    }
}
