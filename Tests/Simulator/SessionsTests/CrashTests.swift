import Hardware
import Money
import Payments
import Sessions
import Simulator
import Synchronization
import Testing
import Yosemite

@Suite("A process that crashes in a simulated session")
struct CrashTests {
    /// Every point of a normal sale at which something has just been saved or sent, or is about to be.
    private static let points = [
        "saving created", "journal created", "waiting", "card_inserted", "kernel reading_application_data",
        "kernel online", "saving authorizing", "journal authorizing", "host authorize sent",
        "host authorize answered", "kernel completion", "saving captured", "journal captured", "receipt", "remove_card",
    ]

    @Test("leaves journal and ledger in agreement after recovery by the next one", arguments: points)
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

    @Test("has not saved uncommitted changes")
    func beforeCommit() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            try session.perform(.crash, when: .at("saving authorizing"))
            await #expect(throws: SimulatedSessionError.processDied) { try await session.pay(try usd("1.00")) }
            #expect(try session.payments().first?.attempts.first?.states == ["created"])
            #expect(try await session.issuerLedger().entries.isEmpty)
        }
    }

    @Test("has sent its request: the issuer received it, and the next process reverses it")
    func afterSending() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            try session.perform(.crash, when: .at("host authorize sent"))
            await #expect(throws: SimulatedSessionError.processDied) { try await session.pay(try usd("1.00")) }
            #expect(try await session.issuerLedger().entries.map(\.kind) == [.authorization])
            let report = try await session.restart()
            #expect(report.finished.count == 1)
            #expect(try await session.issuerLedger().entries.map(\.kind) == [.authorization, .reversal])
        }
    }

    @Test("loses nothing of a journal in a file")
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

    @Test("can also be stopped and restarted normally")
    func restart() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            let payment = try await session.pay(try usd("1.00"))
            let report = try await session.restart()
            #expect(report.finished.isEmpty && report.open.isEmpty)
            try await session.connect()
            #expect(try await session.refund(payment.id).refundedAmount.minorUnits == 100)
        }
    }
}

@Suite("What a simulated session leaves behind")
struct RemainsTests {
    private func remains(
        _ script: @escaping @Sendable (SimulatedSession) async throws -> Void
    ) throws -> LeakReport? {
        let remains = Mutex<LeakReport?>(nil)
        try SimulatedSession.play(try .with(), leaks: { told in remains.withLock { $0 = told } }, script)
        return remains.withLock { $0 }
    }

    @Test("is nothing after a payment, a crash during one, and an act that never happens")
    func nothing() throws {
        let left = try remains { session in
            try await session.connect()
            _ = try await session.pay(try usd("12.50"))
            try session.perform(.removeCard(), when: .at("no such event"))
            try session.perform(.crash, when: .at("host authorize sent"))
            _ = try? await session.pay(try usd("12.50"))
            try await session.restart()
        }
        #expect(left == LeakReport.none)
    }

    @Test("reports a task that still waits")
    func waitingTask() throws {
        let left = try remains { session in Task { await session.wait(.seconds(30 * 86_400)) } }
        #expect(left?.waitingTasks == 1)
    }

    @Test("reports a process that is still referenced")
    func heldProcess() throws {
        let held = Mutex<SimulatedSession?>(nil)
        let left = try remains { session in held.withLock { $0 = session } }
        #expect(left?.processes == 1)
        held.withLock { $0 = nil }
    }

    @Test("ends a session with an endless loop")
    func circles() throws {
        var plan = try SessionPlan.with()
        plan.mostTurns = 50
        #expect(throws: SimulatedSessionError.self) {
            try SimulatedSession.play(plan) { session in
                try await session.connect()
                _ = try await session.pay(try usd("12.50"))
            }
        }
    }

    @Test("does not perform canceled acts")
    func calledOff() throws {
        try SimulatedSession.play(try .with()) { session in
            try await session.connect()
            try session.perform(.crash, when: .at("host authorize sent"))
            try session.perform(.crash, when: .after(.seconds(1)))
            try session.perform(.callOff)
            #expect(try await session.pay(try usd("12.50")).outcome == .approved)
            await session.wait(.seconds(10))
            #expect(session.isRunning)
        }
    }
}
