import Acquirer
import Foundation
import ISO8583
import Payments
import Sessions
import Simulator
import Testing

@Suite("An inquiry over the wire of a session")
struct SessionInquiryTests {
    private let profile: MessageProfile

    init() throws {
        let example = URL(filePath: #filePath).appending(path: "../../../../Examples/hosts/inquiry-host.yaml")
        profile = try MessageProfile(path: example.standardized.path)
    }

    private func plan(_ faults: String...) throws -> SessionPlan {
        let faults = try faults.map { try AcquirerFault($0) }
        return try .with { $0.wire = PlannedWire(profile, faults: faults) }
    }

    @Test("finds the approval whose answer was lost, and nothing is taken back")
    func approved() throws {
        try SimulatedSession.play(try plan("answer-lost:sale:1")) { session in
            try await session.connect()
            #expect(try await session.pay(try usd("12.50")).state == .captured)
            let messages = session.details(.host).filter { $0.hasPrefix("wire 0") && !$0.contains("signOn") }
            #expect(messages == ["wire 0200 sale answered 00 answer-lost", "wire 0600 inquiry answered 00"])
            let books = try await session.reconciliation()
            #expect(books.agrees && books.totals.map(\.issuer) == [1250])
        }
    }

    @Test(
        "is followed by a reversal when the host does not know the request, or does not answer",
        arguments: [["closed-before:sale:1"], ["answer-lost:sale:1", "answer-lost:inquiry:1"]])
    func reversed(faults: [String]) throws {
        let plan = try SessionPlan.with {
            $0.wire = PlannedWire(profile, faults: try faults.map { try AcquirerFault($0) })
        }
        try SimulatedSession.play(plan) { session in
            try await session.connect()
            #expect(try await session.pay(try usd("12.50")).state == .reversed)
            #expect(session.details(.host).contains { $0.hasPrefix("wire 0600 inquiry answered") })
            #expect(session.details(.host).contains { $0.hasPrefix("wire 0420 reversal answered") })
            let books = try await session.reconciliation()
            #expect(books.agrees && books.totals.allSatisfy { $0.issuer == 0 })
        }
    }

    @Test("finishes a refund that a process left behind, once")
    func refunded() throws {
        try SimulatedSession.play(try plan()) { session in
            try await session.connect()
            let payment = try await session.pay(try usd("12.50"))
            try session.perform(.crash, when: .at("host wire 0200 refund answered"))
            await #expect(throws: SimulatedSessionError.processDied) { try await session.refund(payment.id) }
            try await session.restart()
            #expect(session.details(.host).contains("wire 0600 inquiry answered 00"))
            #expect(!session.details(.host).contains { $0.hasPrefix("wire 042") })
            #expect(try session.payments().first?.attempts.last?.states.last == "captured")
            let books = try await session.reconciliation()
            #expect(books.agrees && !books.hasOpen && books.totals.allSatisfy { $0.issuer == 0 })
        }
    }
}
