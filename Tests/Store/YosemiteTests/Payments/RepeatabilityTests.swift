import EMV
import Hardware
import Payments
import SimulatedTime
import Simulator
import Storage
import Testing

@testable import Yosemite

/// The same seed gives the same run, to the byte.
@Suite(.simulatedTime) struct RepeatabilityTests {
    private struct Run: Hashable {
        var trace: [String]
        var events: [CardReaderEvent]
        var history: PaymentHistory
        var payments: [Payment]
        var receipt: String
    }

    private func run(_ card: String, seed: UInt64, model: SimulatedReaderModel) async throws -> Run {
        let till = try TestTill(card) {
            $0.seed = seed
            $0.model = model
        }
        let payment = try await till.pay()
        let receipt: StoredReceipt = try await till.receipt { .loadReceipt(paymentID: payment.id, onCompletion: $0) }
        let text: String = try await till.receipt {
            .generateContent(receipt: receipt, copy: .customer, width: 40, onCompletion: $0)
        }
        return Run(
            trace: till.traceLines, events: till.events, history: try await till.history(payment),
            payments: try till.journal.payments(), receipt: text)
    }

    @Test(arguments: [("visa-credit", SimulatedReaderModel.tpdu), ("online-pin", .shortAPDU), ("t1-card", .tpdu)])
    func `twenty runs with one seed are identical`(card: String, model: SimulatedReaderModel) async throws {
        var runs: Set<Run> = []
        for _ in 0..<20 { runs.insert(try await run(card, seed: 7, model: model)) }
        #expect(runs.count == 1)
    }

    @Test func `another seed has another unpredictable number`() async throws {
        let (first, second) = (
            try await run("visa-credit", seed: 1, model: .shortAPDU),
            try await run("visa-credit", seed: 2, model: .shortAPDU)
        )
        // The first GENERATE AC carries it.
        let commands = [first, second].map { run in run.trace.first { $0.contains(#""c":"80AE"#) } }
        #expect(commands[0] != nil && commands[0] != commands[1])
        #expect(first.trace.count == second.trace.count)
    }
}
