internal import ISO8583
internal import Money
internal import Text

extension SimulatedAcquirer {
    /// Compares the totals of a terminal with its open batch, and closes the batch when they agree.
    ///
    /// - Throws: ``AcquirerRefusal``
    func settle(_ request: AcquirerRequest) throws(AcquirerRefusal) -> AcquirerDecision {
        guard let currency = request.currency else {
            // Without a currency there is nothing to compare.
            return AcquirerDecision(ResponseCodes.notSupported)
        }
        let batch = book.openBatch(terminal: request.key.terminal, currency: currency.code)
        let own = BatchTotals(batch)
        switch request.form.settlement?.totals {
        case .fields:
            let isInBalance = try BatchTotals(request.message) == own
            var decision = AcquirerDecision(isInBalance ? ResponseCodes.approved : ResponseCodes.outOfBalance)
            decision.fields = own.fields
            if profile.version == .v1987 { decision.fields[66] = isInBalance ? "1" : "2" }
            if isInBalance { (decision.changes, decision.closesBatch) = (batch, true) }
            return decision
        case .field63, .field74, .some(.none), nil: return AcquirerDecision(ResponseCodes.notSupported)
        }
    }
}

/// The totals of a batch: sales, and refunds. What was taken back counts in neither.
struct BatchTotals: Hashable {
    struct Side: Hashable {
        var count: Int64 = 0
        var amount: Int64 = 0
    }

    var debits = Side()
    var credits = Side()

    init(_ batch: [AcquirerRecord]) {
        for record in batch {
            if record.kind == .refund {
                (credits.count, credits.amount) = (credits.count + 1, credits.amount + record.moved)
            } else {
                (debits.count, debits.amount) = (debits.count + 1, debits.amount + record.moved)
            }
        }
    }

    /// Reads fields 74 to 77 and 86 to 89. Reversals are subtracted, so that it does not matter whether a terminal
    /// counts what it took back.
    ///
    /// - Throws: ``AcquirerRefusal``
    init(_ message: ISOMessage) throws(AcquirerRefusal) {
        func number(_ field: Int) throws(AcquirerRefusal) -> Int64 {
            guard let text = message.text(of: field) else { return 0 }
            guard let number = Int64(text), number >= 0 else { throw .wrongValue(field) }
            return number
        }
        credits = Side(count: try number(74) - (try number(75)), amount: try number(86) - (try number(87)))
        debits = Side(count: try number(76) - (try number(77)), amount: try number(88) - (try number(89)))
    }

    /// The fields of the answer.
    var fields: [Int: String] {
        let net = debits.amount - credits.amount
        return [
            74: credits.count.zeroPadded(to: 10), 75: 0.zeroPadded(to: 10), 76: debits.count.zeroPadded(to: 10),
            77: 0.zeroPadded(to: 10), 86: credits.amount.zeroPadded(to: 16), 87: 0.zeroPadded(to: 16),
            88: debits.amount.zeroPadded(to: 16), 89: 0.zeroPadded(to: 16),
            // The acquirer owes the merchant what was sold: a debit of the acquirer.
            97: SignedAmount(net >= 0 ? .debit : .credit, abs(net)).text(digits: 16) ?? "",
        ]
    }
}
