import Determinism
import ISO8583
import Money
import Payments
import Text

/// Makes settlements (0500) by a profile, and reads their answers.
struct SettlementMessages {
    let profile: MessageProfile
    let terminal: AcquirerTerminal
    let numbers: TraceNumberPlan
    /// The time of messages, as the terminal shows it.
    let time: any TimeSource

    /// Makes what a settlement has in common with its repeats.
    ///
    /// - Parameters:
    ///   - batch: the number of the batch.
    ///   - message: the number of the settlement among those of the database. The trace number follows from it.
    ///   - destination: the address of the host.
    /// - Returns: the values of the fields that a repeat has, too, without the totals.
    func identity(batch: Int64, message: Int64, at destination: String) -> MessageIdentity {
        let now = time.now()
        let local = MessageDates.local(now.civil(offsetSeconds: time.offsetSeconds(at: now)), profile.version)
        let form = profile.messages[.settlement]
        var values: [Int: String] = [32: terminal.acquirer ?? "", 60: batch.zeroPadded(to: 6)]
        values.merge(profile.values.fixed) { $1 }
        values[3] = form?.processing.flatMap { profile.values.processing[$0] }
        (values[7], values[11]) = (MessageDates.transmission(now), profile.field11(number(message)))
        (values[12], values[13]) = (local.field12, local.field13)
        if let function = form?.function { values[24] = function }
        if let reason = form?.reason { values[25] = reason }
        values[41] = terminal.identity.terminal ?? values[41]
        values[42] = terminal.identity.merchant ?? values[42]
        return MessageIdentity(
            type: form.map { "\($0.type)" } ?? "", fields: values.filter { !$0.value.isEmpty },
            destination: destination)
    }

    /// The trace number of a settlement. Those of sign-ons and echoes come from the other end of the same range.
    private func number(_ message: Int64) -> Int {
        numbers.network.upperBound - Int((message - 1) % Int64(numbers.network.count))
    }

    /// Makes the message of a batch, or its repeat.
    ///
    /// - Throws: ``HostFailure/notSent(_:)``
    func request(_ batch: SettlementBatch) throws(HostFailure) -> ISOMessage {
        guard let form = profile.messages[.settlement] else { throw .notSent(.noMessage(.settlement)) }
        var values = batch.request.fields
        values.merge(totals(batch, form)) { $1 }
        values[50] = batch.currency.numericCode.zeroPadded(to: 3)
        // The batch and its day, where 1993 and 2003 have them.
        if profile.version != .v1987 {
            values[28] = values[12].map { String($0.dropLast(6)) }
            values[29] = (batch.number % 1000).zeroPadded(to: 3)
        }
        var message = ISOMessage(batch.tries > 1 ? form.repeated : form.type)
        for field in form.allowed where !ISOMessage.secretFields.contains(field) {
            if let value = values[field] { message.set(field, profile.filled(value, field)) }
        }
        for field in form.mandatory where !message.fields.contains(field) {
            throw .notSent(.missingField(field, .settlement))
        }
        return message
    }

    private func totals(_ batch: SettlementBatch, _ form: MessageForm) -> [Int: String] {
        let totals = batch.totals
        var values: [Int: String] = [:]
        switch form.settlement?.totals {
        case .fields:
            // Transfers, inquiries, authorizations, and fees are never settled here.
            for field in 78...85 { values[field] = "0" }
            for (line, (number, amount)) in totals.lines {
                (values[number], values[amount]) = ("\(line.count)", "\(line.amount)")
            }
        case .field74:
            let data = ReconciliationData(
                credits: .init(totals.credits), creditReversals: .init(totals.creditReversals),
                debits: .init(totals.debits), debitReversals: .init(totals.debitReversals))
            values[74] = data.bytes.map { String(String.UnicodeScalarView($0.map { Unicode.Scalar($0) })) }
        case .some(.none), nil: return [:]
        }
        // The acquirer owes the merchant what was sold: a debit of the acquirer.
        let net = NetAmount(
            SignedAmount(totals.net >= 0 ? .debit : .credit, abs(totals.net)),
            currency: batch.currency.numericCode.zeroPadded(to: 3), exponent: batch.currency.exponent)
        values[97] = net.text(profile.version)
        return values
    }

    /// Reads the answer to a settlement.
    func result(_ answer: ISOMessage) -> SettlementResult {
        let code = AnswerReading.trimmed(answer.text(of: 39)) ?? ""
        let totals = hostTotals(answer)
        // Field 66 of 1987: 1 in balance, 2 out of balance, 3 error.
        let settlementCode = profile.version == .v1987 ? answer.text(of: 66) : nil
        let agrees = profile.results.approved.contains(code) || agreeing.contains(code)
        if differing.contains(code) || agrees && settlementCode == "2" {
            return .differs(code: code, meaning: meaning(code), totals)
        }
        guard agrees, settlementCode != "3" else { return .refused(code: code, meaning: meaning(code)) }
        return .agreed(code: code, meaning: meaning(code), totals)
    }

    private func meaning(_ code: String) -> String? { profile.results.meaning(of: code) }

    /// The codes of the edition that say that the totals agree. In 1987, those that approve say so.
    private var agreeing: Set<String> {
        switch profile.version {
        case .v1987: []
        case .v1993: ["500"]
        case .v2003: ["5000"]
        }
    }

    private var differing: Set<String> {
        switch profile.version {
        case .v1987: ["95"]
        case .v1993: ["501", "502", "503", "504"]
        case .v2003: ["5001", "5002", "5003", "5004"]
        }
    }

    /// The totals of the host; nil when the answer has none, or none that can be read.
    private func hostTotals(_ answer: ISOMessage) -> SettlementTotals? {
        if profile.messages[.settlement]?.settlement?.totals == .field74 {
            guard let data = answer.bytes(of: 74).flatMap({ ReconciliationData($0) }) else { return nil }
            return SettlementTotals(
                debits: .init(data.debits), debitReversals: .init(data.debitReversals), credits: .init(data.credits),
                creditReversals: .init(data.creditReversals))
        }
        func number(_ field: Int) -> Int64? { answer.text(of: field).flatMap { Int64($0) } }
        guard [74, 76, 86, 88].contains(where: answer.fields.contains) else { return nil }
        func line(_ fields: (number: Int, amount: Int)) -> SettlementTotals.Line {
            SettlementTotals.Line(count: number(fields.number) ?? 0, amount: number(fields.amount) ?? 0)
        }
        return SettlementTotals(
            debits: line(SettlementTotals.debitFields), debitReversals: line(SettlementTotals.debitReversalFields),
            credits: line(SettlementTotals.creditFields), creditReversals: line(SettlementTotals.creditReversalFields))
    }
}

extension SettlementTotals {
    /// The fields of a line: its number, and its amount.
    fileprivate static let (creditFields, creditReversalFields) = ((number: 74, amount: 86), (number: 75, amount: 87))
    fileprivate static let (debitFields, debitReversalFields) = ((number: 76, amount: 88), (number: 77, amount: 89))

    fileprivate var lines: [(line: Line, fields: (number: Int, amount: Int))] {
        [
            (credits, Self.creditFields), (creditReversals, Self.creditReversalFields), (debits, Self.debitFields),
            (debitReversals, Self.debitReversalFields),
        ]
    }
}

extension ReconciliationData.Total {
    fileprivate init(_ line: SettlementTotals.Line) { self.init(number: line.count, amount: line.amount) }
}

extension SettlementTotals.Line {
    fileprivate init(_ total: ReconciliationData.Total) { self.init(count: total.number, amount: total.amount) }
}
