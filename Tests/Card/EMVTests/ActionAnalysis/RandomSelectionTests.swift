import Determinism
import Money
import Testing

@testable import EMV

/// Which transactions chance sends online (EMV Book 3 §10.6.2).
struct RandomSelectionTests {
    private static let selection = (threshold: UInt32(2_000), target: 30, maximum: 90)

    private func kernel(type: UInt8 = 0x22, seed: UInt64 = 11) throws -> TestKernel {
        var kernel = TestKernel(
            terminal: try TestKernel.terminal(
                type: type, floorLimit: 10_000,
                randomSelection: RandomSelection(
                    threshold: Self.selection.threshold, targetPercentage: Self.selection.target,
                    maximumPercentage: Self.selection.maximum)))
        kernel.random = SeededRandomSource(seed: seed)
        return kernel
    }

    /// How many of `count` payments of `amount` cents are selected.
    private func selected(_ amount: Int64, of count: Int, type: UInt8 = 0x22, seed: UInt64 = 11) async throws -> Int {
        let kernel = try kernel(type: type, seed: seed)
        let card = TestCard.Profile.standard(TestKernel.permissiveIssuer)
        var selected = 0
        for _ in 0..<count {
            let outcome = try await kernel.run(TestCard(card), try TestKernel.request(amount))
            if outcome.verificationResults.contains(.randomlySelectedForOnline) { selected += 1 }
        }
        return selected
    }

    // EMV Book 3 §10.6.2: below the threshold the target percentage is selected, above it a share that rises with the
    // amount
    /// A number of 1...99 is compared with the percentage, so 30 percent means 30 of 99. Four standard deviations of
    /// 600 draws are at most 49.
    @Test(arguments: [(1 as Int64, 182), (1_999, 182), (2_000, 182), (6_000, 364), (9_999, 540)])
    func `below the threshold the share is flat, above it rises with the amount`(
        amount: Int64, expected: Int
    ) async throws {
        let count = try await selected(amount, of: 600)
        #expect(abs(count - expected) < 49, "\(count)")
    }

    // EMV Book 3 §10.6.2: random selection is for amounts below the floor limit at terminals that can go online
    @Test func `above the floor limit, and offline, there is no random selection`() async throws {
        #expect(try await selected(10_000, of: 30) == 0)
        #expect(try await selected(9_999, of: 60, type: 0x23) == 0)
        #expect(try await selected(9_999, of: 60, type: 0x26) == 0)
        #expect(try await selected(9_999, of: 60, type: 0x21) > 0)
    }

    @Test func `the same seed selects the same payments, another seed others`() async throws {
        func pattern(_ seed: UInt64) async throws -> [Int] {
            var pattern: [Int] = []
            for amount in 1...20 { pattern.append(try await selected(Int64(amount) * 450, of: 3, seed: seed)) }
            return pattern
        }
        #expect(try await pattern(1) == pattern(1))
        #expect(try await pattern(1) != pattern(2))
    }

    // EMV Book 3 §10.6.2: the random number is spread evenly over 1 to 99
    @Test func `every number is as likely as any other`() {
        let random = SeededRandomSource(seed: 3)
        var counts = [Int](repeating: 0, count: 100)
        for _ in 0..<99_000 { counts[Int(random.number(in: 1...99))] += 1 }
        #expect(counts[0] == 0)
        // Five standard deviations of a thousand.
        #expect(counts.dropFirst().allSatisfy { (840...1160).contains($0) })
    }

    @Test func `a threshold of zero and a steep rise do not overflow`() throws {
        let selection = try RandomSelection(threshold: 0, targetPercentage: 0, maximumPercentage: 99)
        for (amount, percentage) in [(0 as Int64, 0), (Int64(UInt32.max) / 2, 49), (Int64(UInt32.max) - 1, 98)] {
            let check = FloorLimitCheck(
                amount: amount, recentAmount: 0, floorLimit: .max, randomSelection: selection, canGoOnline: true)
            #expect(check.percentage == percentage)
        }
    }
}
