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

    @Test func `attempts count by outcome with their times, and unknown beside the later result`() throws {
        _ = try journal.capturedSale()
        let slow = try journal.beginSale(at: 1000).attempt.id
        try journal.markAuthorizing(slow, at: at(1500))
        try journal.markUnknown(slow, reason: "no answer", at: at(31_500))
        try journal.markUnknown(slow, reason: "no answer", at: at(40_000))
        _ = try journal.finish(slow, as: .declined, at: at(61_000))
        // The clock was set back.
        let early = try journal.beginSale(at: 1000).attempt.id
        _ = try journal.finish(early, as: .canceled, at: at(10))
        _ = try journal.beginSale(at: 1000)
        let figures = try figures.attempts
        #expect(
            figures.finished.map { "\($0.kind.rawValue) \($0.state.rawValue) \($0.milliseconds) \($0.count)" }
                == ["sale cancelled 0 1", "sale captured 2 1", "sale declined 60000 1"])
        #expect(
            figures.authorizations.map { "\($0.kind.rawValue) \($0.state.rawValue) \($0.milliseconds) \($0.count)" }
                == ["sale captured 1 1", "sale unknown 30000 1"])
        #expect(figures.unknown == [.sale: 1])
    }

    @Test func `a restore is counted when the host has answered`() throws {
        let question = try journal.identitiesToConfirm(hostName: "simulated")
        let answer = IdentityAnswer(
            current: question.current, numbers: [question.current: 7], hostName: "simulated")
        _ = try journal.confirmIdentity(answer, successor: "00000000000000aa", at: at(5))
        #expect(try figures.restores == 1)
    }
}
