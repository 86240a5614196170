import Hardware
import Sessions
import Simulator
import Testing
import Yosemite

@Suite("A process that dies in a simulated session")
struct CrashTests {
    /// Every point of a normal sale at which something has just been saved or sent, or is about to be.
    private static let points = [
        "saving created", "journal created", "waiting", "card_inserted", "kernel reading_application_data",
        "kernel online", "saving authorizing", "journal authorizing", "host authorize sent",
        "host authorize answered", "kernel completion", "saving captured", "journal captured", "receipt", "remove_card",
    ]

    @Test("leaves books that agree once the next one has recovered", arguments: points)
    func recovers(point: String) throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            try session.perform(.crash, when: .at(point))
            await #expect(throws: SimulatedSessionError.processDied) { try await session.pay(try usd("12.50")) }
            #expect(!session.isRunning)
            let before = session.events.count
            await session.wait(.seconds(120))
            #expect(session.events.count - before <= 1, "the dead process goes on")
            try await session.restart()
            let books = try await session.reconciliation()
            #expect(books.agrees && !books.hasOpen)
            let wasPaid = ["journal captured", "receipt", "remove_card"].contains(point)
            #expect(books.totals.map(\.issuer) == (wasPaid ? [1250] : []) || books.totals.allSatisfy { $0.issuer == 0 })
            try await session.connect()
            #expect(try await session.pay(try usd("3.00")).outcome == .approved)
        }
    }

    @Test("has saved nothing of what it was about to save")
    func beforeCommit() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            try session.perform(.crash, when: .at("saving authorizing"))
            await #expect(throws: SimulatedSessionError.processDied) { try await session.pay(try usd("1.00")) }
            #expect(try session.payments().first?.attempts.first?.states == ["created"])
            #expect(try await session.issuerLedger().entries.isEmpty)
        }
    }

    @Test("has sent what it had sent: the issuer has it, and the next process takes it back")
    func afterSending() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            try session.perform(.crash, when: .at("host authorize sent"))
            await #expect(throws: SimulatedSessionError.processDied) { try await session.pay(try usd("1.00")) }
            #expect(try await session.issuerLedger().entries.map(\.kind) == [.authorisation])
            let report = try await session.restart()
            #expect(report.finished.count == 1)
            #expect(try await session.issuerLedger().entries.map(\.kind) == [.authorisation, .reversal])
        }
    }

    @Test("takes nothing with it of a journal in a file")
    func file() throws {
        let folder = try TemporaryFolder()
        let plan = try SessionPlan.with { $0.journal = .file(folder.path + "/till") }
        try SimulatedSession.play(plan) { session in
            try await session.connect()
            #expect(try await session.pay(try usd("1.00")).outcome == .approved)
            try session.perform(.crash, when: .at("journal authorizing"))
            await #expect(throws: SimulatedSessionError.processDied) { try await session.pay(try usd("2.00")) }
            #expect(try await session.restart().finished.map(\.name) == ["P000002"])
            #expect(try session.payments().map(\.state) == ["captured", "reversed"])
            let books = try await session.reconciliation()
            #expect(books.agrees && !books.hasOpen)
        }
    }

    @Test("can be ended and begun again in order, too")
    func restart() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            let payment = try await session.pay(try usd("1.00"))
            let report = try await session.restart()
            #expect(report.finished.isEmpty && report.open.isEmpty)
            try await session.connect()
            #expect(try await session.refund(payment.id).refundedMinorUnits == 100)
        }
    }
}
