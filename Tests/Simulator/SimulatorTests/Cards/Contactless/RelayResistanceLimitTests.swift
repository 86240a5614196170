import ContactlessKernel8
import EntryPoint
import SmartCard
import Testing

@testable import Simulator

/// The limits of relay resistance of a till's configuration, with a card that takes 40 ms and says at most 2 ms.
struct RelayResistanceLimitTests {
    private func results(_ change: (inout RelayResistanceRules) -> Void) throws -> (tvr: UInt8?, isApproved: Bool) {
        var rules = RelayResistanceRules.standard
        change(&rules)
        let settings = Kernel8Configuration.shop(
            floorLimit: 10_000, cvmRequiredLimit: 5_000, relayResistance: rules)
        var terminal = try TapTerminal(named: "k8-relay-slow", settings: settings)
        try terminal.pay()
        return (terminal.record[0x95]?.last, terminal.last?.status == .approved)
    }

    // EMV Book C-8 state 21: an answer later than the longest time and its grace sets TVR byte 5, 04
    @Test func `a card that is too slow is a bit of the TVR and goes online`() throws {
        let slow = try results { _ in }
        #expect(slow.tvr == 0x8E && !slow.isApproved)
    }

    // EMV Book C-8 state 21: a grace that is long enough leaves the bit alone
    @Test func `a longer grace and threshold accept the same card`() throws {
        let accepted = try results { ($0.maximumGrace, $0.accuracyThreshold) = (1000, 1000) }
        #expect(accepted.tvr == 0x82 && accepted.isApproved)
    }

    // EMV Book C-8 state 21: a time far from the shortest, or estimates far apart, set TVR byte 5, 08
    @Test func `thresholds are limits of their own`() throws {
        #expect(try results { $0.maximumGrace = 1000 }.tvr == 0x8A)
        #expect(
            try results {
                ($0.maximumGrace, $0.accuracyThreshold, $0.expectedAnswerTime) = (1000, 1000, 100)
            }.tvr == 0x8A)
    }
}
