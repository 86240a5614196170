internal import Amounts
internal import Determinism

extension TransactionRequest {
    /// Whether part of the amount is cashback.
    var hasCashback: Bool { (cashback?.minorUnits ?? 0) > 0 }

    /// - Throws: ``TransactionRequestError``
    func check() throws(TransactionRequestError) {
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
            CardDate(bytes: digits.flatMap(\.self)) != nil, (0...23).contains(date.hour),
            (0...59).contains(date.minute), (0...59).contains(date.second)
        else { throw .date }
    }
}
