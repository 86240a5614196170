import Sessions
import Simulator
import Synchronization
import Testing
import Yosemite

@Suite("What a simulated session leaves behind")
struct RemainsTests {
    private func remains(
        _ script: @escaping @Sendable (SimulatedSession) async throws -> Void
    ) throws -> SessionRemains? {
        let remains = Mutex<SessionRemains?>(nil)
        try SimulatedSession.play(try .with(), remains: { told in remains.withLock { $0 = told } }, script)
        return remains.withLock { $0 }
    }

    @Test("is nothing after a payment, a crash in the middle of one, and an act whose moment never comes")
    func nothing() throws {
        let left = try remains { session in
            try await session.connect()
            _ = try await session.pay(try usd("12.50"))
            try session.perform(.removeCard(), when: .at("no such event"))
            try session.perform(.crash, when: .at("host authorize sent"))
            _ = try? await session.pay(try usd("12.50"))
            try await session.restart()
        }
        #expect(left == SessionRemains.none)
    }

    @Test("tells of a task that still waits")
    func waitingTask() throws {
        let left = try remains { session in Task { await session.wait(.seconds(30 * 86_400)) } }
        #expect(left?.waitingTasks == 1)
    }

    @Test("tells of a process that somebody still holds")
    func heldProcess() throws {
        let held = Mutex<SimulatedSession?>(nil)
        let left = try remains { session in held.withLock { $0 = session } }
        #expect(left?.processes == 1)
        held.withLock { $0 = nil }
    }

    @Test("ends a session that goes round in circles")
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

    @Test("does nothing that was called off")
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
