import ISO8583
import Money
import Text

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
        let told = try BatchTotals(request.message, totals)
        let own = BatchTotals(batch, takenBack: told.takenBack)
        let isInBalance = told == own
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
        let takenBack = (try? BatchTotals(request.message, totals))?.takenBack ?? BatchTotals.Sides()
        return fields(BatchTotals(own, takenBack: takenBack), isInBalance: isInBalance, totals, currency)
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

/// The totals of a batch: sales, and refunds. What was taken back counts in neither; the acquirer tells it as the
/// terminal did, so that a difference is in the transactions that stay.
struct BatchTotals: Hashable {
    struct Side: Hashable {
        var count: Int64 = 0
        var amount: Int64 = 0

        static func + (one: Side, other: Side) -> Side {
            Side(count: one.count + other.count, amount: one.amount + other.amount)
        }

        static func - (one: Side, other: Side) -> Side {
            Side(count: one.count - other.count, amount: one.amount - other.amount)
        }
    }

    struct Sides: Hashable {
        var debits = Side()
        var credits = Side()
    }

    var debits = Side()
    var credits = Side()
    /// What the terminal took back.
    var takenBack = Sides()

    init(_ batch: [AcquirerRecord], takenBack: Sides) {
        self.takenBack = takenBack
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
            takenBack.credits = Side(count: data.creditReversals.number, amount: data.creditReversals.amount)
            takenBack.debits = Side(count: data.debitReversals.number, amount: data.debitReversals.amount)
            credits = Side(count: data.credits.number, amount: data.credits.amount) - takenBack.credits
            debits = Side(count: data.debits.number, amount: data.debits.amount) - takenBack.debits
            return
        }
        func number(_ field: Int) throws(AcquirerRefusal) -> Int64 {
            guard let text = message.text(of: field) else { return 0 }
            guard let number = Int64(text), number >= 0 else { throw .wrongValue(field) }
            return number
        }
        takenBack.credits = Side(count: try number(75), amount: try number(87))
        takenBack.debits = Side(count: try number(77), amount: try number(89))
        credits = Side(count: try number(74), amount: try number(86)) - takenBack.credits
        debits = Side(count: try number(76), amount: try number(88)) - takenBack.debits
    }

    /// The acquirer owes the merchant what was sold: a debit of the acquirer.
    var net: SignedAmount {
        let net = debits.amount - credits.amount
        return SignedAmount(net >= 0 ? .debit : .credit, abs(net))
    }

    /// The totals of the answer, without the net amount.
    var fields: [Int: String] {
        let (credits, debits) = (credits + takenBack.credits, debits + takenBack.debits)
        return [
            74: credits.count.zeroPadded(to: 10), 75: takenBack.credits.count.zeroPadded(to: 10),
            76: debits.count.zeroPadded(to: 10), 77: takenBack.debits.count.zeroPadded(to: 10),
            86: credits.amount.zeroPadded(to: 16), 87: takenBack.credits.amount.zeroPadded(to: 16),
            88: debits.amount.zeroPadded(to: 16), 89: takenBack.debits.amount.zeroPadded(to: 16),
        ]
    }

    /// The same in field 74 of 2003.
    var field74: [Int: String] {
        func numbers(_ side: Side) -> ReconciliationData.Total { .init(number: side.count, amount: side.amount) }
        let data = ReconciliationData(
            credits: numbers(credits + takenBack.credits), creditReversals: numbers(takenBack.credits),
            debits: numbers(debits + takenBack.debits), debitReversals: numbers(takenBack.debits))
        return [74: String(String.UnicodeScalarView((data.bytes ?? []).map { Unicode.Scalar($0) }))]
    }
}
