import Payments
import Testing

@testable import Storage

@Suite struct RecordFiguresTests {
    private let database: TemporaryDatabase
    private let journal: PaymentJournal

    init() throws {
        database = try TemporaryDatabase()
        journal = try database.journal()
    }

    private var figures: RecordFigures { get throws { try RecordFigures(of: database.open()) } }

    @Test func `an empty database has every state and no queue`() throws {
        let figures = try figures
        #expect(Set(figures.payments.keys) == Set(PaymentState.allCases))
        #expect(figures.payments.values.allSatisfy { $0 == 0 })
        for queue in [
            figures.unknownPayments, figures.openAttempts, figures.advices, figures.orderNotifications,
            figures.refundNotifications, figures.rejectedNotifications, figures.prints,
        ] {
            #expect(queue == RecordFigures.Queue())
        }
    }

    @Test func `an unknown payment counts once, since it became so`() throws {
        _ = try journal.capturedSale()
        let attempt = try journal.beginSale(at: 1000).attempt.id
        try journal.markAuthorizing(attempt, at: at(1001))
        try journal.markUnknown(attempt, reason: "no answer", at: at(1002))
        try journal.markUnknown(attempt, reason: "no answer", at: at(1009))
        let figures = try figures
        #expect(figures.payments[.captured] == 1)
        #expect(figures.payments[.unknown] == 1)
        #expect(figures.unknownPayments == RecordFigures.Queue(count: 1, oldest: at(1002)))
        #expect(figures.openAttempts == RecordFigures.Queue(count: 1, oldest: at(1000)))
    }

    @Test func `a restore is counted when the host has answered`() throws {
        let question = try journal.identitiesToConfirm(hostName: "simulated")
        let answer = IdentityAnswer(
            current: question.current, numbers: [question.current: 7], hostName: "simulated")
        _ = try journal.confirmIdentity(answer, successor: "00000000000000aa", at: at(5))
        #expect(try figures.restores == 1)
    }
}
