import Money
import Payments
import SmartCard
import Testing

@testable import Simulator

struct IssuerReconciliationTests {
    private let fixture: IssuerFixture

    init() throws { fixture = try IssuerFixture() }

    private func attempt(
        _ key: String, _ amount: String = "12.50", _ outcome: TillAttempt.Outcome = .moved, refundOf: String? = nil,
        currency: String = "USD"
    ) throws -> TillAttempt {
        TillAttempt(
            key: IdempotencyKey(rawValue: key), payment: "P000001", kind: refundOf == nil ? .sale : .refund,
            original: refundOf.map { IdempotencyKey(rawValue: $0) },
            amount: try Money(amount, currency: Currency(code: currency)), outcome: outcome)
    }

    /// Two payments, a decline, a reversal, a reversed request that never arrived, a refund, and an advice.
    private func book() async throws -> IssuerLedger {
        let issuer = try fixture.issuer()
        _ = try await issuer.authorize(try fixture.request("a", "12.50", atc: 1))
        _ = try await issuer.authorize(try fixture.request("b", "7.00", atc: 2))
        _ = try await issuer.authorize(try fixture.request("c", atc: 3) { $0[0x9F26]?[0] ^= 1 })
        try await issuer.reverse(try fixture.reversal("b", "7.00"))
        try await issuer.reverse(try fixture.reversal("n"))
        _ = try await issuer.refund(try fixture.refund("r", of: "a", "2.50"))
        try await issuer.advise(try fixture.advice("o", "1.00"))
        return try await issuer.ledger()
    }

    private func till() throws -> [TillAttempt] {
        [
            try attempt("a"), try attempt("b", "7.00", .reversed), try attempt("c", "12.50", .notMoved),
            try attempt("n", "12.50", .reversed), try attempt("r", "2.50", refundOf: "a"), try attempt("o", "1.00"),
            // It never left the till.
            try attempt("x", "3.00", .notMoved),
        ]
    }

    @Test func `equal ledgers agree`() async throws {
        let result = IssuerReconciliation(till: try till(), issuer: try await book())
        #expect(result.agrees && !result.hasOpen)
        #expect(result.differences.isEmpty)
        #expect(result.attemptCount == 7)
        #expect(result.totals == [.init(currency: "USD", till: 1100, issuer: 1100)])
        let nothing = IssuerReconciliation(till: [], issuer: IssuerLedger())
        #expect(nothing.agrees && nothing.totals.isEmpty)
    }

    @Test func `an accepted attempt is no difference, and stays in the totals`() async throws {
        let attempts = try till().filter { $0.key.rawValue != "o" }
        let book = try await book()
        var asked: [String] = []
        let result = IssuerReconciliation(till: attempts, issuer: book) { difference in
            asked.append(difference.key.rawValue)
            return difference.issuer?.minorUnits == 100
        }
        #expect(asked == ["o"])
        #expect(result.agrees && result.differences.isEmpty)
        #expect(result.accepted.map(\.kind) == [.unknownToTill])
        #expect(result.totals == [.init(currency: "USD", till: 1000, issuer: 1100)])
        #expect(!IssuerReconciliation(till: attempts, issuer: book).agrees)
    }

    private func kinds(_ index: Int, _ changed: TillAttempt?) async throws -> [IssuerReconciliation.Kind] {
        var attempts = try till()
        if let changed { attempts[index] = changed } else { attempts.remove(at: index) }
        return IssuerReconciliation(till: attempts, issuer: try await book()).differences.map(\.kind)
    }

    @Test func `each kind of difference is reported`() async throws {
        #expect(try await kinds(0, attempt("a", "12.51")) == [.amount])
        #expect(try await kinds(0, attempt("a", currency: "EUR")) == [.currency])
        #expect(try await kinds(0, attempt("a", "12.50", .notMoved)) == [.movedAtIssuerOnly])
        #expect(try await kinds(0, attempt("a", "12.50", .reversed)) == [.movedAtIssuerOnly])
        #expect(try await kinds(0, nil) == [.unknownToTill])
        #expect(try await kinds(1, attempt("b", "7.00", .moved)) == [.missingAtIssuer])
        #expect(try await kinds(2, attempt("c")) == [.missingAtIssuer])
        #expect(try await kinds(2, attempt("c", "12.50", .reversed)) == [.reversalMissing])
        #expect(try await kinds(4, attempt("r", "2.50")) == [.direction])
        #expect(try await kinds(4, attempt("r", "2.50", refundOf: "o")) == [.original])
        #expect(try await kinds(5, attempt("o", "1.00", refundOf: "a")) == [.direction])
        #expect(try await kinds(6, attempt("x", "3.00")) == [.missingAtIssuer])
        // A decline that the till does not know, and a reversed payment, moved no money.
        #expect(try await kinds(2, nil) == [])
        #expect(try await kinds(1, nil) == [])
    }

    @Test func `open attempts are not differences`() async throws {
        for outcome in [TillAttempt.Outcome.open, .unreported] {
            var attempts = try till()
            attempts[0] = try attempt("a", "12.50", outcome)
            let result = IssuerReconciliation(till: attempts, issuer: try await book())
            #expect(result.agrees && result.hasOpen)
            #expect(result.differences.map(\.kind) == [.open])
        }
    }

    @Test func `the issuer may hold an open increment already, and nothing else more`() throws {
        let hold = try attempt("a", "150.00", .held)
        var increment = try attempt("i", "20.00", .open)
        increment.isIncrement = true
        func kinds(_ attempts: [TillAttempt], held: Int64) -> [IssuerReconciliation.Kind] {
            let state = IssuerTransactionState(
                isRefund: false, minorUnits: 0, held: held, currency: "USD", responseCode: "00")
            return IssuerReconciliation(till: attempts, states: [(key: hold.key, state: state)]).differences.map(\.kind)
        }
        #expect(kinds([hold, increment], held: 15_000) == [.open])
        #expect(kinds([hold, increment], held: 17_000) == [.open])
        #expect(kinds([hold, increment], held: 17_001) == [.amount, .open])
        increment.outcome = .notMoved
        #expect(kinds([hold, increment], held: 17_000) == [.amount])
        (increment.outcome, increment.payment) = (.open, "P000002")
        #expect(kinds([hold, increment], held: 17_000) == [.amount, .open])
    }

    @Test func `totals are kept by currency and count refunds`() async throws {
        let result = IssuerReconciliation(
            till: [try attempt("a", "5.00", currency: "EUR"), try attempt("r", "2.50", refundOf: "a")],
            issuer: try await book())
        #expect(
            result.totals == [
                .init(currency: "EUR", till: 500, issuer: 0), .init(currency: "USD", till: -250, issuer: 1100),
            ])
        #expect(result.differences.map(\.kind) == [.currency, .amount, .unknownToTill])
    }

    @Test func `a missing ledger is empty and is not created`() throws {
        let book = try IssuerLedger(path: "/nonexistent/book.issuer")
        #expect(book.entries.isEmpty)
        #expect(throws: IssuerLedgerError.self) { try IssuerLedger(path: "/") }
    }
}
