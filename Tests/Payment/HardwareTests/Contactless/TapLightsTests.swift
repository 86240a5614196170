import Determinism
import SimulatedTime
import Simulator
import Testing

@testable import Hardware
@testable import Payments

/// Payments at contactless readers whose lights and buzzer do not work.
@Suite(.simulatedTime, .timeLimit(.minutes(10))) struct TapLightsTests {
    /// The recovery steps that a till heard of.
    private func steps(_ bench: TapBench) -> [ReaderRecoveryStep] {
        bench.events.compactMap { if case .recovering(let step) = $0 { step } else { nil } }
    }

    @Test func `a reader that does not answer the commands for its lights takes payments, and is reported once`()
        async throws
    {
        var model = SimulatedReaderModel.contactless.disguised(asVendor: 0x072F, product: 0x223E)
        model.misbehavior.answersNoEscape = true
        let bench = try TapBench(model)
        try await bench.connect()
        let begun = bench.clock.reading()
        #expect(try await bench.pay("attempt-1").details.entryMode == .contactless)
        // A second for the one command that was sent; the rest is the cardholder's.
        #expect(bench.clock.elapsed(since: begun) < .seconds(8))
        #expect(try await bench.pay("attempt-2").details.entryMode == .contactless)
        #expect(steps(bench) == [.indicatorsFailed])
        #expect(bench.host.messages == ["authorize 07 0010", "authorize 07 0010"])
    }

    @Test func `a reader that refuses the commands for its lights takes payments, and is reported once`() async throws {
        let bench = try TapBench(.contactless.disguised(asVendor: 0x072F, product: 0x223E))
        try await bench.connect()
        #expect(try await bench.pay("attempt-1").details.entryMode == .contactless)
        #expect(try await bench.pay("attempt-2").details.entryMode == .contactless)
        #expect(steps(bench) == [.indicatorsFailed])
    }

    @Test func `commands for the lights through the card's channel do not cost the card its power`() async throws {
        // The card has power when it was read, so the command goes to it, and finds no lights there.
        let model = SimulatedReaderModel.contactless.disguised(asVendor: 0x072F, product: 0x2200, release: 0x0214)
        let refused = try TapBench(model)
        try await refused.connect()
        #expect(try await refused.pay().details.entryMode == .contactless)
        #expect(steps(refused) == [.indicatorsFailed])
        // After SELECT twice and GET PROCESSING OPTIONS.
        let unanswered = try TapBench(model)
        try await unanswered.connect()
        unanswered.field.arm(.xfrBlock(4, .unanswered))
        #expect(try await unanswered.pay().details.entryMode == .contactless)
        #expect(unanswered.field.armedFaults == [])
        #expect(steps(unanswered) == [.indicatorsFailed])
    }
}
