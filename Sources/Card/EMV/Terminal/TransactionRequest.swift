public import Determinism
public import Money
public import SmartCard
import Text

/// A transaction that the merchant requests.
public struct TransactionRequest: Hashable, Sendable {
    /// The transaction type: tag 9C, the first two digits of the processing code.
    public enum Kind: UInt8, Hashable, Sendable {
        case goodsOrServices = 0x00
        case cash = 0x01
        case cashback = 0x09
        case refund = 0x20
    }

    /// Amount, Authorized (9F02), including cashback.
    public var amount: Money
    /// Amount, Other (9F03): the cashback, in the same currency.
    public var cashback: Money?
    public var kind: Kind
    /// Local terminal date and time (9A, 9F21).
    public var date: CivilDate
    /// The same moment in UTC, with which certificates on elliptic curves are compared; nil for ``date``.
    public var utc: CivilDate?
    /// Transaction sequence counter (9F41), 1...99,999,999.
    public var sequenceCounter: UInt32
    /// The account type that the cardholder selected (5F57); nil for none.
    public var accountType: UInt8?
    /// Whether the merchant forces the transaction online (TVR byte 4 bit 4).
    public var forcedOnline: Bool
    /// Whether the card may approve without the issuer, where the terminal can. Otherwise the terminal asks the issuer,
    /// and declines when it can't.
    public var allowsOfflineApproval: Bool
    /// Whether the outcome has a copy of the card's data, for a host whose advices demand it.
    public var keepsCard: Bool

    /// Describes a transaction. `amount` includes `cashback`; `accountType` is the value of tag 5F57, nil for none.
    public init(
        amount: Money, cashback: Money? = nil, kind: Kind = .goodsOrServices, date: CivilDate, utc: CivilDate? = nil,
        sequenceCounter: UInt32, accountType: UInt8? = nil, forcedOnline: Bool = false,
        allowsOfflineApproval: Bool = true, keepsCard: Bool = false
    ) {
        (self.amount, self.cashback, self.kind, self.utc) = (amount, cashback, kind, utc)
        (self.date, self.sequenceCounter) = (date, sequenceCounter)
        (self.accountType, self.forcedOnline) = (accountType, forcedOnline)
        (self.allowsOfflineApproval, self.keepsCard) = (allowsOfflineApproval, keepsCard)
    }
}

extension TransactionRequest {
    /// Whether part of the amount is cashback.
    var hasCashback: Bool { (cashback?.minorUnits ?? 0) > 0 }

    /// Checks cashback, sequence counter, and date.
    ///
    /// - Throws: ``TransactionRequestError``
    public func check() throws(TransactionRequestError) {
        if let cashback {
            guard cashback.currency == amount.currency, cashback.minorUnits <= amount.minorUnits else {
                throw .cashback
            }
        }
        guard kind != .cashback || hasCashback else { throw .cashback }
        guard (1...99_999_999).contains(sequenceCounter) else { throw .sequenceCounter }
        let digits = [date.year % 100, date.month, date.day].map {
            BinaryCodedDecimal.encode(UInt64(clamping: $0), byteCount: 1)
        }
        guard (2000...2049).contains(date.year), (1...99).contains(date.month), (1...99).contains(date.day),
            EMVDate(bytes: digits.flatMap(\.self)) != nil, (0...23).contains(date.hour),
            (0...59).contains(date.minute), (0...59).contains(date.second)
        else { throw .date }
    }
}

extension TransactionRequest {
    /// Returns the value fields of the terminal's data objects for this transaction that do not depend on an
    /// application or an interface (EMV Book 4 §10.1). Amounts that need more than 32 bits have no binary form.
    public func dataObjects(of terminal: TerminalConfiguration) -> [BERTag: [UInt8]] {
        TerminalData.common(of: terminal, self)
    }
}

/// The terminal's data objects for one transaction (EMV Book 4 §10.1).
enum TerminalData {
    /// Returns the data objects for a transaction by contacts with an application.
    static func values(
        of terminal: TerminalConfiguration, _ candidate: ApplicationCandidate, _ request: TransactionRequest
    ) -> [BERTag: [UInt8]] {
        var values = common(of: terminal, request)
        values[EMVTag.terminalAID] = candidate.dfName
        values[EMVTag.floorLimit] = binary(candidate.terminalApplication.floorLimit)
        // Integrated circuit card read by contacts (ISO 8583 DE 22).
        values[EMVTag.entryMode] = [0x05]
        values[EMVTag.terminalVersion] = candidate.terminalApplication.versions.first.map {
            [UInt8($0 >> 8), UInt8($0 & 0xFF)]
        }
        return values
    }

    /// Returns the data objects for a transaction with any application over any interface.
    static func common(of terminal: TerminalConfiguration, _ request: TransactionRequest) -> [BERTag: [UInt8]] {
        let amount = UInt64(clamping: request.amount.minorUnits)
        let cashback = UInt64(clamping: request.cashback?.minorUnits ?? 0)
        let date = request.date
        func digits(_ number: some BinaryInteger, _ byteCount: Int) -> [UInt8] {
            BinaryCodedDecimal.encode(UInt64(clamping: number), byteCount: byteCount)
        }
        var values: [BERTag: [UInt8]] = [
            EMVTag.amount: digits(amount, 6),
            EMVTag.amountOther: digits(cashback, 6),
            EMVTag.currency: digits(request.amount.currency.numericCode, 2),
            EMVTag.currencyExponent: digits(request.amount.currency.exponent, 1),
            EMVTag.date: digits(date.year % 100, 1) + digits(date.month, 1) + digits(date.day, 1),
            EMVTag.time: digits(date.hour, 1) + digits(date.minute, 1) + digits(date.second, 1),
            EMVTag.transactionType: [request.kind.rawValue],
            EMVTag.sequenceCounter: digits(request.sequenceCounter, 4),
            EMVTag.acquirer: digits(terminal.acquirer, 6),
            EMVTag.merchantCategory: digits(terminal.merchantCategory, 2),
            EMVTag.merchantIdentifier: terminal.merchantIdentifier.utf8.padded(to: 15, with: 0x20),
            EMVTag.merchantNameAndLocation: Array(terminal.merchantNameAndLocation.utf8),
            EMVTag.terminalCountry: digits(terminal.country, 2),
            EMVTag.terminalIdentification: Array(terminal.terminalIdentification.utf8),
            EMVTag.interfaceDeviceSerial: Array(terminal.interfaceDeviceSerial.utf8),
            EMVTag.terminalType: [terminal.type.rawValue],
            EMVTag.capabilities: terminal.capabilities.bytes,
            EMVTag.additionalCapabilities: terminal.additionalCapabilities.bytes,
        ]
        values[EMVTag.accountType] = request.accountType.map { [$0] }
        // The binary forms have 32 bits. For a larger amount they are missing, and the card gets zeros.
        values[EMVTag.amountBinary] = UInt32(exactly: amount).map(binary)
        values[EMVTag.amountOtherBinary] = UInt32(exactly: cashback).map(binary)
        return values
    }

    private static func binary(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
