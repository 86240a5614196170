internal import Amounts
internal import Determinism
internal import SmartCard

/// The terminal's own data objects for one transaction (EMV Book 4 §10.1).
enum TerminalData {
    static func values(
        of terminal: TerminalConfiguration, _ candidate: ApplicationCandidate, _ request: TransactionRequest
    ) -> [BERTag: [UInt8]] {
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
            EMVTag.merchantIdentifier: padded(terminal.merchantIdentifier, 15),
            EMVTag.merchantNameAndLocation: Array(terminal.merchantNameAndLocation.utf8),
            EMVTag.terminalCountry: digits(terminal.country, 2),
            EMVTag.terminalIdentification: Array(terminal.terminalIdentification.utf8),
            EMVTag.interfaceDeviceSerial: Array(terminal.interfaceDeviceSerial.utf8),
            EMVTag.terminalType: [terminal.type.rawValue],
            EMVTag.capabilities: terminal.capabilities.bytes,
            EMVTag.additionalCapabilities: terminal.additionalCapabilities.bytes,
            EMVTag.terminalAID: candidate.dfName,
            EMVTag.floorLimit: binary(candidate.terminalApplication.floorLimit),
            // Integrated circuit card read by contacts (ISO 8583 DE 22).
            EMVTag.entryMode: [0x05],
        ]
        values[EMVTag.terminalVersion] = candidate.terminalApplication.versions.first.map {
            [UInt8($0 >> 8), UInt8($0 & 0xFF)]
        }
        values[EMVTag.accountType] = request.accountType.map { [$0] }
        // The binary forms hold 32 bits. A larger amount has none, and a card that asks gets zeros.
        values[EMVTag.amountBinary] = UInt32(exactly: amount).map(binary)
        values[EMVTag.amountOtherBinary] = UInt32(exactly: cashback).map(binary)
        return values
    }

    private static func binary(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func padded(_ text: String, _ count: Int) -> [UInt8] {
        text.utf8 + [UInt8](repeating: 0x20, count: max(0, count - text.utf8.count))
    }
}
