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

    @Test func `the floor limit is exceeded from the limit on, payments just before included`() throws {
        #expect(try !check(9_999).isExceeded)
        #expect(try check(10_000).isExceeded)
        #expect(try check(0, floor: 0).isExceeded)
        #expect(try check(5_000, recent: 5_000).isExceeded)
        #expect(try !check(5_000, recent: -5_000).isExceeded)
        #expect(try check(5_000, recent: .max).isExceeded)
    }

    @Test func `the percentage is flat below the threshold and rises to the maximum at the floor limit`() throws {
        #expect(try check(999).percentage == 20)
        #expect(try check(1_000).percentage == 20)
        #expect(try check(5_500).percentage == 50)
        #expect(try check(9_999).percentage == 79)
        #expect(try check(10_000).percentage == nil)
        #expect(try check(999, online: false).percentage == nil)
    }

    @Test func `a number up to the percentage selects`() throws {
        #expect(try check(999).isSelected(byNumber: 20))
        #expect(try !check(999).isSelected(byNumber: 21))
        #expect(try !check(999, target: 0).isSelected(byNumber: 1))
        #expect(try check(999, target: 99, maximum: 99).isSelected(byNumber: 99))
    }

    @Test func `percentages that make no sense are refused`() {
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
