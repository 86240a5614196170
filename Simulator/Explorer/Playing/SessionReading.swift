internal import Amounts
internal import FoundationEssentials
internal import Hardware
internal import Sessions
internal import Simulator
internal import StoreSite

/// Takes down what a session's records and everybody in its world have in the end.
struct SessionReading {
    private let session: SimulatedSession
    private let search: SecretSearch

    init(_ session: SimulatedSession, _ search: SecretSearch) { (self.session, self.search) = (session, search) }

    /// - Throws: `SimulatedSessionError` when the records cannot be read.
    func read(into record: inout SessionRecord) async throws {
        let payments = try session.payments()
        record.payments = payments.map { payment in
            SessionRecord.Payment(
                id: payment.id, state: payment.state, minorUnits: payment.amount.minorUnits,
                refundedMinorUnits: payment.refundedMinorUnits, order: payment.orderID,
                lastFour: payment.card?.lastFour, entryMode: payment.card?.entryMode)
        }
        record.attempts = payments.flatMap { payment in
            payment.attempts.map { attempt in
                SessionRecord.Attempt(
                    key: attempt.key, payment: payment.id, isRefund: attempt.kind == "refund",
                    minorUnits: attempt.amount.minorUnits, currency: attempt.amount.currency.code,
                    states: attempt.states)
            }
        }
        try await readIssuer(into: &record)
        try readStore(into: &record)
        record.cryptograms = session.cryptograms
        try findSecrets(into: &record)
        await findSecretsOnReceipts(of: payments, into: &record)
    }

    private func readIssuer(into record: inout SessionRecord) async throws {
        let ledger = try await session.issuerLedger()
        record.charges = ledger.keys.compactMap { key in
            ledger.standing(key).map { standing in
                SessionRecord.Charge(
                    key: key.rawValue, isRefund: standing.isRefund, original: standing.original?.rawValue,
                    minorUnits: standing.minorUnits, currency: standing.currency)
            }
        }
        record.book = ledger.entries.map { entry in
            SessionRecord.BookLine(
                kind: entry.kind.rawValue, key: entry.key.rawValue,
                isApproved: entry.answer.map { ["00", "10", "11"].contains($0.responseCode) } ?? false,
                counter: entry.counter)
        }
        let book = (try? JSONEncoder().encode(ledger.entries)) ?? Data()
        record.note(search.secrets(in: Array(book)), in: "the issuer's book")
    }

    private func readStore(into record: inout SessionRecord) throws {
        record.captures = try session.rows("SELECT id, state, intentID FROM siteCapture ORDER BY id").map { row in
            let values = Dictionary(row.map { ($0.column, $0.value) }) { first, _ in first }
            return SessionRecord.Capture(
                payment: values["id"]?.flatMap { Int64($0) } ?? 0, state: values["state"].flatMap(\.self) ?? "",
                intent: values["intentID"].flatMap(\.self))
        }
        record.storeCharges = session.siteLedger.map {
            SessionRecord.StoreCharge(intent: $0.paymentIntentID, order: $0.orderID, minorUnits: $0.amount)
        }
        record.paidOrders = Set(session.orders.filter(\.isPaid).map(\.id))
    }

    // MARK: Secrets

    private func findSecrets(into record: inout SessionRecord) throws {
        for row in try session.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
            guard let table = row.first?.value else { continue }
            let values = try session.rows("SELECT * FROM \"\(table)\"").flatMap { $0.compactMap(\.value) }
            record.note(search.secrets(in: Array(values.joined(separator: "\n").utf8)), in: "table \(table)")
        }
        let paper = session.printouts.flatMap(\.lines).joined(separator: "\n")
        record.note(search.secrets(in: Array(paper.utf8)), in: "the printer")
    }

    private func findSecretsOnReceipts(of payments: [SessionPayment], into record: inout SessionRecord) async {
        for payment in payments {
            for copy in [ReceiptCopy.customer, .merchant] {
                // A payment without a receipt has none to look at.
                guard let receipt = try? await session.receipt(of: payment.id, copy: copy) else { continue }
                record.note(search.secrets(in: Array(receipt.utf8)), in: "a receipt")
            }
        }
    }
}

extension SessionRecord {
    /// Secrets were found there.
    mutating func note(_ secrets: Set<String>, in place: String) {
        leaks += secrets.sorted().map { Leak(secret: $0, place: place) }
    }
}
