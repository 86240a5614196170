import Determinism
import EMV
import SmartCard
import Testing

/// Payments with a random environment of the kernel, checked with ``OutcomeRules``.
struct PaymentPropertyTests {
    /// How many payments came to which end.
    private func run(
        _ payments: Int, seed: UInt64, _ card: ArbitraryPayment.Card
    ) async throws -> [String: Int] {
        let random = SeededRandomSource(seed: seed)
        var ends: [String: Int] = [:]
        for number in 0..<payments {
            let payment = try ArbitraryPayment(Choices(random.stream("\(number)")))
            let (outcome, violations) = await payment.run(card)
            #expect(violations.isEmpty, "payment \(number) ended \(outcome.decision)")
            ends["\(outcome.decision)".prefix { $0 != "(" }.description, default: 0] += 1
        }
        return ends
    }

    // EMV Book 3 annex C5: whatever the card answers, the TVR says what happened
    // EMV Book 3 annex C6: whatever the card answers, the TSI says what was performed
    @Test func `a card that sometimes changes a response stays within the rules`() async throws {
        let ends = try await run(600, seed: 21, .changed(oneIn: 24))
        for end in [
            "approvedOnline", "approvedOffline", "declinedOnline", "declinedByCard", "declinedOffline", "referred",
            "canceled", "terminated",
        ] { #expect(ends[end, default: 0] > 0, "\(end): \(ends)") }
    }

    @Test func `a card that changes every other response stays within the rules`() async throws {
        let ends = try await run(600, seed: 22, .changed(oneIn: 2))
        #expect(ends["terminated", default: 0] > 100, "\(ends)")
    }

    // EMV Book 3 §7.5: a card of random bytes is never paid with
    @Test func `a card of random bytes is never paid with`() async throws {
        let ends = try await run(200, seed: 23, .cut)
        #expect(ends["approvedOnline"] == nil && ends["approvedOffline"] == nil, "\(ends)")
    }

    // EMV Book 3 §10.7: nothing is approved offline that the terminal action codes tell to ask about or to decline
    @Test func `good cards are paid with as the rules say`() async throws {
        let ends = try await run(400, seed: 24, .changed(oneIn: 65_536))
        #expect(ends["approvedOnline", default: 0] > 20 && ends["approvedOffline", default: 0] > 20, "\(ends)")
    }

    @Test func `the same choices make the same payment`() async throws {
        for seed in 0..<20 as Range<UInt64> {
            var ended: [KernelOutcome] = []
            for _ in 0..<2 {
                let payment = try ArbitraryPayment(Choices(SeededRandomSource(seed: seed)))
                ended.append(await payment.run(.changed(oneIn: 8)).outcome)
            }
            #expect(ended[0] == ended[1])
        }
    }
}
