public import Amounts
public import Determinism

/// What the merchant asks the kernel to do.
public struct TransactionRequest: Hashable, Sendable {
    /// Tag 9C, the first two digits of the processing code.
    public enum Kind: UInt8, Hashable, Sendable {
        case goodsOrServices = 0x00
        case cash = 0x01
        case cashback = 0x09
        case refund = 0x20
    }

    /// Amount, authorised (9F02), cashback included.
    public var amount: Money
    /// Amount, other (9F03): the cashback, in the same currency.
    public var cashback: Money?
    public var kind: Kind
    /// Terminal date and time (9A, 9F21), as the clock on the wall shows them.
    public var date: CivilDate
    /// Transaction sequence counter (9F41), 1...99,999,999.
    public var sequenceCounter: UInt32
    /// Account type (5F57) that the cardholder chose; nil for none.
    public var accountType: UInt8?
    /// The merchant wants the issuer asked whatever the cards says (TVR byte 4 bit 4).
    public var forcedOnline: Bool

    public init(
        amount: Money, cashback: Money? = nil, kind: Kind = .goodsOrServices, date: CivilDate,
        sequenceCounter: UInt32, accountType: UInt8? = nil, forcedOnline: Bool = false
    ) {
        (self.amount, self.cashback, self.kind) = (amount, cashback, kind)
        (self.date, self.sequenceCounter) = (date, sequenceCounter)
        (self.accountType, self.forcedOnline) = (accountType, forcedOnline)
    }
}
