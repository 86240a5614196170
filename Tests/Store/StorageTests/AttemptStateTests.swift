import Determinism
import Payments
import Testing

@testable import Storage

@Suite struct AttemptStateTests {
    /// The whole table, written out once more: state, what may follow.
    private static let table: [(AttemptState, Set<AttemptState>)] = [
        (.created, [.authorizing, .authorized, .declined, .canceled, .failed]),
        (.authorizing, [.authorized, .authorizedOnly, .captured, .declined, .failed, .reversing, .unknown]),
        (.authorized, [.captured, .reversing, .unknown]),
        (.authorizedOnly, [.authorized, .reversing]),
        (.captured, []),
        (.declined, []),
        (.canceled, []),
        (.failed, []),
        (.reversing, [.reversing, .reversed, .unknown]),
        (.reversed, []),
        (.unknown, [.authorized, .authorizedOnly, .captured, .declined, .failed, .reversing, .reversed, .unknown]),
    ]

    /// How to get there from `created`.
    private static let paths: [AttemptState: [AttemptState]] = [
        .created: [], .authorizing: [.authorizing], .authorized: [.authorizing, .authorized],
        .authorizedOnly: [.authorizing, .authorizedOnly], .captured: [.authorizing, .captured], .declined: [.declined],
        .canceled: [.canceled], .failed: [.failed],
        .reversing: [.authorizing, .reversing], .reversed: [.authorizing, .reversing, .reversed],
        .unknown: [.authorizing, .unknown],
    ]

    @Test func `the table of transitions is complete`() {
        #expect(Set(Self.table.map(\.0)) == Set(AttemptState.allCases))
        for (state, successors) in Self.table { #expect(state.successors == successors, "\(state)") }
    }

    @Test func `states that are not final need recovery`() {
        let final: Set<AttemptState> = [.captured, .declined, .canceled, .failed, .reversed]
        for state in AttemptState.allCases {
            #expect(state.isFinal == final.contains(state), "\(state)")
            // A person decides about a pre-authorization.
            #expect(state.needsRecovery == (!final.contains(state) && state != .authorizedOnly), "\(state)")
        }
    }

    @Test func `once a request may have been sent, nothing is called canceled`() {
        for state in AttemptState.allCases where state != .created {
            #expect(!state.successors.contains(.canceled))
        }
    }

    @Test(arguments: AttemptState.allCases)
    func `the journal takes exactly the transitions of the table`(_ from: AttemptState) throws {
        let storage = try SQLiteStorageManager(inMemoryWith: SeededRandomSource(seed: 1))
        let journal = PaymentJournal(storage: storage, lease: try ProcessLease(in: storage))
        for to in AttemptState.allCases {
            let id = try journal.beginSale().attempt.id
            for step in try #require(Self.paths[from]) { try journal.finish(id, as: step, at: at(2)) }
            let before = try journal.transitions(of: id)
            let attempts = try journal.attempts(of: try #require(try journal.payments(limit: 1).first).id)
            if from.successors.contains(to) {
                try journal.finish(id, as: to, at: at(3))
                #expect(try journal.transitions(of: id).map(\.state) == before.map(\.state) + [to])
            } else {
                #expect(throws: JournalError.illegalTransition(attempt: id, from: from, to: to)) {
                    try journal.finish(
                        id, as: to, receipt: ReceiptDraft(kind: .sale, content: "{}"), at: at(3))
                }
                #expect(try journal.transitions(of: id) == before)
                #expect(try journal.attempts(of: try #require(attempts.first).paymentID) == attempts)
                #expect(try journal.receipts().isEmpty)
            }
        }
    }

    @Test func `a payment's state follows from its last sale and its refunds`() throws {
        let (amount, nothing, part) = (try usd(100), try usd(0), try usd(40))
        let expected: [AttemptState: PaymentState] = [
            .created: .pending, .authorizing: .pending, .authorized: .authorized,
            .authorizedOnly: .authorized, .reversing: .pending,
            .captured: .captured, .declined: .declined, .canceled: .canceled, .failed: .failed,
            .reversed: .reversed, .unknown: .unknown,
        ]
        for state in AttemptState.allCases {
            #expect(PaymentState(lastSale: state, amount: amount, refunded: nothing) == expected[state])
        }
        #expect(PaymentState(lastSale: .captured, amount: amount, refunded: part) == .partiallyRefunded)
        #expect(PaymentState(lastSale: .captured, amount: amount, refunded: amount) == .refunded)
    }
}
