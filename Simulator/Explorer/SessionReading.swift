import FoundationEssentials
import Money
import Payments
import Sessions
import Simulator
import StoreSite
import Text

/// Reads the final state of the till, the issuer, the store, and the cards into a record.
struct SessionReading {
    private let session: SimulatedSession
    private let search: SecretSearch

    init(_ session: SimulatedSession, _ search: SecretSearch) { (self.session, self.search) = (session, search) }

    /// - Throws: `SimulatedSessionError` when the records cannot be read.
    func read(into record: inout SessionRecord) async throws {
        (record.hasTwoDatabases, record.eventsOfSecondTill) = (session.databases.count > 1, session.eventsOfSecondTill)
        record.payments = try session.payments()
        // Those of a second database are read below, and have other numbers.
        let own = record.payments
        for till in session.databases.dropFirst() {
            record.payments += try session.payments(of: till).map { numbered($0, of: till, in: record) }
        }
        record.attempts = record.payments.flatMap(\.attempts)
        try await readIssuer(into: &record)
        try readStore(into: &record)
        try readTold(into: &record)
        record.cryptograms = session.cryptograms
        for till in session.databases { try findSecrets(of: till, into: &record) }
        await findSecretsOnReceipts(of: own, into: &record)
    }

    /// Returns a payment with the numbers that it has in the record.
    private func numbered(_ payment: SessionPayment, of till: TillPlace, in record: SessionRecord) -> SessionPayment {
        var payment = payment
        payment.id = record.number(payment.id, of: till)
        for place in payment.attempts.indices {
            payment.attempts[place].id = record.number(payment.attempts[place].id, of: till)
            payment.attempts[place].payment = payment.id
        }
        return payment
    }

    private func readIssuer(into record: inout SessionRecord) async throws {
        let ledger = try await session.issuerLedger()
        record.charges = ledger.keys.compactMap { key in
            ledger.standing(key).map { standing in
                SessionRecord.Charge(
                    key: key.rawValue, isRefund: standing.isRefund, original: standing.original?.rawValue,
                    minorUnits: standing.minorUnits, held: standing.held, currency: standing.currency)
            }
        }
        record.book = ledger.entries
        let book = (try? JSONEncoder().encode(ledger.entries)) ?? Data()
        record.note(search.secrets(in: Array(book)), in: "the issuer's book")
    }

    private func readStore(into record: inout SessionRecord) throws {
        for till in session.databases {
            let rows = try session.rows(
                "SELECT id, state, intentID, gateway FROM siteCapture ORDER BY id", of: till, isRepeated: true)
            record.captures += rows.map { row in
                let values = Dictionary(row.map { ($0.column, $0.value) }) { first, _ in first }
                return SessionRecord.Capture(
                    payment: record.number(values["id"]?.flatMap { Int64($0) } ?? 0, of: till),
                    state: values["state"].flatMap(\.self) ?? "", intent: values["intentID"].flatMap(\.self),
                    isOfTill: values["gateway"].flatMap(\.self) == OrderPaymentRoute.till.rawValue)
            }
            let refunds = try session.rows(
                "SELECT paymentID, state, amount FROM siteRefund ORDER BY id", of: till, isRepeated: true)
            record.refundNotices += refunds.map { row in
                let values = Dictionary(row.map { ($0.column, $0.value) }) { first, _ in first }
                let payment = values["paymentID"]?.flatMap { Int64($0) } ?? 0
                return SessionRecord.RefundNotice(
                    payment: record.number(payment, of: till), state: values["state"].flatMap(\.self) ?? "",
                    minorUnits: values["amount"]?.flatMap { Int64($0) } ?? 0)
            }
        }
        record.storeCharges = session.siteLedger
        record.storeOrders = session.orders
        record.hadOldData = session.siteRequests.contains { $0.method == "GET" && $0.fault == "stale" }
        record.lostRefunds = record.storeOrders.flatMap { order in
            session.siteRequests.filter { request in
                request.method == "POST" && (request.route ?? request.path).hasSuffix("/orders/\(order.id)/refunds")
                    && ["lost-answer", "failed-answer"].contains(request.fault)
            }.map { _ in order.id }
        }
        record.paidOrders = Set(record.storeOrders.filter(\.isPaid).map(\.id))
    }

    /// Reads what the session told: its commands, its display, its receipts, and its paper.
    private func readTold(into record: inout SessionRecord) throws {
        record.displays = session.displays
        record.tellings = session.tellings.map { telling in
            var telling = telling
            telling.attempts = telling.attempts.map { record.number($0, of: telling.till) }
            return telling
        }
        record.bookMoments = session.ledgerMoments
        for till in session.databases { try readReceipts(of: till, into: &record) }
    }

    private func readReceipts(of till: TillPlace, into record: inout SessionRecord) throws {
        let receipts = try session.rows(
            "SELECT id, attemptID, content FROM receipt WHERE attemptID IS NOT NULL ORDER BY id", of: till,
            isRepeated: true)
        for row in receipts {
            let values = Dictionary(row.map { ($0.column, $0.value) }) { first, _ in first }
            let text = values["content"].flatMap(\.self) ?? ""
            record.receipts.append(
                SessionRecord.IssuedReceipt(
                    id: record.number(values["id"].flatMap(\.self).flatMap { Int64($0) } ?? 0, of: till),
                    attempt: record.number(values["attemptID"].flatMap(\.self).flatMap { Int64($0) } ?? 0, of: till),
                    content: try JSONDecoder().decode(ReceiptContent.self, from: Data(text.utf8))))
        }
        let jobs = try session.rows(
            "SELECT jobID, receiptID FROM printJob WHERE jobID IS NOT NULL ORDER BY id", of: till, isRepeated: true)
        let printouts = session.printouts
        for row in jobs {
            let numbers = Dictionary(row.map { ($0.column, $0.value.flatMap { Int64($0) }) }) { first, _ in first }
            guard let job = numbers["jobID"].flatMap(\.self), let receipt = numbers["receiptID"].flatMap(\.self),
                let printout = printouts.first(where: { Int64($0.job) == job })
            else { continue }
            record.papers.append(
                SessionRecord.Paper(receipt: record.number(receipt, of: till), lines: printout.lines))
        }
    }

    // MARK: Secrets

    private func findSecrets(of till: TillPlace, into record: inout SessionRecord) throws {
        for (table, values) in try session.recordedValues(of: till) where !values.isEmpty {
            record.note(search.secrets(in: Array(values.joined(separator: "\n").utf8)), in: "table \(table)")
        }
        let paper = session.printouts.flatMap(\.lines).joined(separator: "\n")
        record.note(search.secrets(in: Array(paper.utf8)), in: "the printer")
    }

    private func findSecretsOnReceipts(of payments: [SessionPayment], into record: inout SessionRecord) async {
        for payment in payments {
            for copy in [ReceiptCopy.customer, .merchant] {
                // A payment may have no receipt.
                guard let receipt = try? await session.receipt(of: PaymentID(rawValue: payment.id), copy: copy) else {
                    continue
                }
                record.note(search.secrets(in: Array(receipt.utf8)), in: "a receipt")
            }
        }
    }
}

extension SessionRecord {
    /// Records secrets that were found in a place.
    mutating func note(_ secrets: Set<String>, in place: String) {
        leaks += secrets.sorted().map { Leak(secret: $0, place: place) }
    }
}

/// Searches for secrets of a session's cards: numbers, track data, expiry dates, and PINs, in their usual text forms.
struct SecretSearch {
    private struct Needle {
        let secret: String
        let text: String
    }

    private let needles: [Needle]
    private let scan: NeedleScan

    /// - Parameters:
    ///   - cards: the cards whose secrets to search for.
    ///   - pins: the typed PINs, each too long to occur anywhere by chance.
    init(cards: [CardProfile], pins: [String]) {
        var needles = pins.map { Needle(secret: "PIN", text: $0) }
        needles += pins.map { Needle(secret: "PIN", text: Self.hexadecimal($0)) }
        for secret in cards.flatMap(\.secrets) {
            let number = secret.accountNumber
            // Only the last four digits may be shown.
            let (first, last) = (
                Self.beginning(number), String(Self.beginning(String(number.reversed())).reversed())
            )
            let forms = [first, last, Self.grouped(first), Self.hexadecimal(first)]
            needles += forms.map { Needle(secret: "card number", text: $0) }
            needles += secret.expiryForms.map { Needle(secret: "expiry date", text: $0) }
        }
        self.needles = needles
        scan = NeedleScan(needles.map { Array($0.text.utf8) })
    }

    /// Returns the secrets in a text.
    func secrets(in text: [UInt8]) -> Set<String> {
        Set(scan.occurring(in: text).map { needles[$0].secret })
    }

    /// Returns the bytes of digits in hexadecimal, as in a trace.
    private static func hexadecimal(_ digits: String) -> String { digits.map { "3\($0)" }.joined() }

    /// Returns the first ten digits of a number, or more until five of them are not zero. Shorter beginnings occur by
    /// chance: test cards have numbers with many zeros, and an issuer's application data has many zeros, too.
    private static func beginning(_ digits: String) -> String {
        var count = 10
        while count < digits.count, digits.prefix(count).count(where: { $0 != "0" }) < 5 { count += 1 }
        return String(digits.prefix(count))
    }

    /// Returns digits in groups of four, as printed on cards.
    private static func grouped(_ digits: String) -> String {
        var groups: [Substring] = []
        var rest = digits[...]
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        return groups.joined(separator: " ")
    }
}
