import CardSecrets
import Money
import SmartCard
import Testing

@testable import EMV

struct RiskTests {
    private func check(
        _ amount: Int64, floor: UInt32 = 10_000, recent: Int64 = 0, threshold: UInt32 = 1_000, target: Int = 20,
        maximum: Int = 80, online: Bool = true
    ) throws -> FloorLimitCheck {
        FloorLimitCheck(
            amount: amount, recentAmount: recent, floorLimit: floor,
            randomSelection: try RandomSelection(
                threshold: threshold, targetPercentage: target, maximumPercentage: maximum), canGoOnline: online)
    }

    // EMV Book 3 §10.6.1: an amount that reaches the floor limit, with payments before, sets its TVR bit
    @Test func `the floor limit is exceeded from the limit on, payments just before included`() throws {
        #expect(try !check(9_999).isExceeded)
        #expect(try check(10_000).isExceeded)
        #expect(try check(0, floor: 0).isExceeded)
        #expect(try check(5_000, recent: 5_000).isExceeded)
        #expect(try !check(5_000, recent: -5_000).isExceeded)
        #expect(try check(5_000, recent: .max).isExceeded)
    }

    // EMV Book 3 §10.6.2: the percentage is interpolated between the threshold and the floor limit
    @Test func `the percentage is flat below the threshold and rises to the maximum at the floor limit`() throws {
        #expect(try check(999).percentage == 20)
        #expect(try check(1_000).percentage == 20)
        #expect(try check(5_500).percentage == 50)
        #expect(try check(9_999).percentage == 79)
        #expect(try check(10_000).percentage == nil)
        #expect(try check(999, online: false).percentage == nil)
    }

    // EMV Book 3 §10.6.2: a payment is selected when the random number is not above the percentage
    @Test func `a number up to the percentage selects`() throws {
        #expect(try check(999).isSelected(byNumber: 20))
        #expect(try !check(999).isSelected(byNumber: 21))
        #expect(try !check(999, target: 0).isSelected(byNumber: 1))
        #expect(try check(999, target: 99, maximum: 99).isSelected(byNumber: 99))
    }

    // EMV Book 3 §10.6.1: recent payments with the same account number and sequence number are added before the floor
    // limit is checked
    @Test(
        arguments: [
            (2_000, 2_999, false), (2_001, 2_999, true), (0, 4_999, false), (0, 5_000, true), (.max, 1, true),
        ] as [(Int64, Int64, Bool)])
    func `earlier payments of the card count toward the floor limit, in the payment's currency`(
        recent: Int64, amount: Int64, isExceeded: Bool
    ) async throws {
        struct History: CardHistory {
            let amount: Int64
            func isOnExceptionFile(_ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?) async -> Bool {
                false
            }
            func recentAmount(
                _ pan: borrowing PrimaryAccountNumber, sequenceNumber: UInt8?, currency: Currency
            ) async -> Int64 { pan.lastFour == "0010" && sequenceNumber == 1 && currency == .usDollar ? amount : 0 }
        }
        var kernel = TestKernel(terminal: try TestKernel.terminal(floorLimit: 5_000))
        kernel.history = History(amount: recent)
        let card = TestCard.Profile.standard(TestKernel.permissiveIssuer)
        let outcome = try await kernel.run(TestCard(card), try TestKernel.request(amount))
        #expect(outcome.verificationResults.contains(.floorLimitExceeded) == isExceeded)
        let euros = try await kernel.run(TestCard(card), try TestKernel.request(amount, currency: "EUR"))
        #expect(euros.verificationResults.contains(.floorLimitExceeded) == (amount >= 5_000))
    }

    // EMV Book 3 §10.6.3: velocity is checked only when the card has both limits
    // EMV Book 3 §6.5.7: ATC and last online ATC are read with GET DATA
    @Test func `velocity limits are checked when the card has both, and its counters are read`() async throws {
        let kernel = TestKernel(terminal: try TestKernel.terminal(floorLimit: 10_000))
        for (limits, asked) in [
            (tlv(0x9F14, "03"), 0), (tlv(0x9F23, "05"), 0), (tlv(0x9F14, "03") + tlv(0x9F23, "05"), 2), ([], 0),
        ] {
            var profile = TestCard.Profile.standard(TestKernel.permissiveIssuer, limits)
            profile.data = [0x9F36: bytes("0005"), 0x9F13: bytes("0000")]
            let card = TestCard(profile)
            let outcome = try await kernel.run(card)
            #expect(card.commands(0xCA).count == asked)
            #expect(outcome.verificationResults.contains(.newCard) == (asked == 2))
        }
    }

    @Test func `invalid percentages are rejected`() {
        #expect(throws: TerminalConfigurationError.self) {
            try RandomSelection(threshold: 0, targetPercentage: 50, maximumPercentage: 49)
        }
        #expect(throws: TerminalConfigurationError.self) {
            try RandomSelection(threshold: 0, targetPercentage: 100, maximumPercentage: 100)
        }
    }

    struct Velocity: Sendable {
        var counter: UInt16?
        var last: UInt16?
        var expected: String
    }

    // EMV Book 3 §10.6.3: the count of payments since the issuer last saw the card is compared with the lower and the
    // upper limit
    // EMV Book 3 §10.6.3: a last online counter of zero marks a new card
    // EMV Book 3 §10.6.3: counters that are missing, or that run backwards, count as both limits exceeded
    @Test(arguments: [
        Velocity(counter: 13, last: 10, expected: "0000000000"),
        Velocity(counter: 14, last: 10, expected: "0000004000"),
        Velocity(counter: 16, last: 10, expected: "0000006000"),
        Velocity(counter: 1, last: 0, expected: "0008000000"),
        Velocity(counter: 10, last: 10, expected: "0000006000"),
        Velocity(counter: 9, last: 10, expected: "0000006000"),
        Velocity(counter: nil, last: 10, expected: "0000006000"),
        Velocity(counter: 13, last: nil, expected: "0000006000"),
        Velocity(counter: nil, last: 0, expected: "0008006000"),
        Velocity(counter: .max, last: 0, expected: "0008006000"),
    ])
    func `velocity compares the counters with the card's limits of 3 and 5`(velocity: Velocity) {
        let check = VelocityCheck(
            lowerLimit: 3, upperLimit: 5, counter: velocity.counter, lastOnlineCounter: velocity.last)
        #expect(check.evaluate().description == velocity.expected)
    }
}
