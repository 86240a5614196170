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
        guard let totals = request.form.settlement?.totals, totals == .fields || totals == .field74 else {
            return AcquirerDecision(ResponseCodes.notSupported)
        }
        let batch = book.openBatch(terminal: request.key.terminal, currency: currency.code)
        let own = BatchTotals(batch)
        let isInBalance = try BatchTotals(request.message, totals) == own
        var decision = AcquirerDecision(isInBalance ? ResponseCodes.approved : ResponseCodes.outOfBalance)
        decision.fields = fields(own, isInBalance: isInBalance, totals, currency)
        if isInBalance { (decision.changes, decision.closesBatch) = (batch, true) }
        return decision
    }

    /// The totals in the answer to a settlement that came before: those of the batch that it closed, or else those of
    /// the open batch.
    func settlementFields(of first: AcquirerRecord, _ request: AcquirerRequest) -> [Int: String] {
        guard let currency = request.currency, let totals = request.form.settlement?.totals else { return [:] }
        let closed = book.records.filter { $0.settlement == first.id }
        let isInBalance = first.state == .approved
        let own = isInBalance ? closed : book.openBatch(terminal: first.terminal, currency: currency.code)
        return fields(BatchTotals(own), isInBalance: isInBalance, totals, currency)
    }

    private func fields(
        _ own: BatchTotals, isInBalance: Bool, _ totals: MessageForm.Totals, _ currency: Currency
    ) -> [Int: String] {
        var fields = totals == .field74 ? own.field74 : own.fields
        fields[97] = NetAmount(
            own.net, currency: currency.numericCode.zeroPadded(to: 3), exponent: currency.exponent
        ).text(profile.version)
        if profile.version == .v1987 { fields[66] = isInBalance ? "1" : "2" }
        return fields
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

    /// Reads fields 74 to 77 and 86 to 89, or field 74 of 2003. Reversals are subtracted, so that it does not matter
    /// whether a terminal counts what it took back.
    ///
    /// - Throws: ``AcquirerRefusal``
    init(_ message: ISOMessage, _ totals: MessageForm.Totals) throws(AcquirerRefusal) {
        guard totals != .field74 else {
            guard let data = message.bytes(of: 74).flatMap({ ReconciliationData($0) }) else { throw .wrongValue(74) }
            credits = Side(
                count: data.credits.number - data.creditReversals.number,
                amount: data.credits.amount - data.creditReversals.amount)
            debits = Side(
                count: data.debits.number - data.debitReversals.number,
                amount: data.debits.amount - data.debitReversals.amount)
            return
        }
        func number(_ field: Int) throws(AcquirerRefusal) -> Int64 {
            guard let text = message.text(of: field) else { return 0 }
            guard let number = Int64(text), number >= 0 else { throw .wrongValue(field) }
            return number
        }
        credits = Side(count: try number(74) - (try number(75)), amount: try number(86) - (try number(87)))
        debits = Side(count: try number(76) - (try number(77)), amount: try number(88) - (try number(89)))
    }

    /// The acquirer owes the merchant what was sold: a debit of the acquirer.
    var net: SignedAmount {
        let net = debits.amount - credits.amount
        return SignedAmount(net >= 0 ? .debit : .credit, abs(net))
    }

    /// The totals of the answer, without the net amount.
    var fields: [Int: String] {
        [
            74: credits.count.zeroPadded(to: 10), 75: 0.zeroPadded(to: 10), 76: debits.count.zeroPadded(to: 10),
            77: 0.zeroPadded(to: 10), 86: credits.amount.zeroPadded(to: 16), 87: 0.zeroPadded(to: 16),
            88: debits.amount.zeroPadded(to: 16), 89: 0.zeroPadded(to: 16),
        ]
    }

    /// The same in field 74 of 2003.
    var field74: [Int: String] {
        let data = ReconciliationData(
            credits: .init(number: credits.count, amount: credits.amount),
            debits: .init(number: debits.count, amount: debits.amount))
        return [74: String(String.UnicodeScalarView((data.bytes ?? []).map { Unicode.Scalar($0) }))]
    }
}
