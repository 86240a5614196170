import ContactlessKernel8
import EMV
import Testing

struct RelayResistanceTests {
    /// The rules of the golden run's configuration.
    private let rules = RelayResistanceRules(
        minimumGrace: 0x0014, maximumGrace: 0x0032, expectedCommandTime: 0x0012, expectedAnswerTime: 0x0018,
        accuracyThreshold: 0x012C, mismatchThreshold: 0x32)

    private func answer(
        minimum: UInt16 = 0, maximum: UInt16 = 0xFFFF, transmission: UInt16 = 0x12
    ) throws -> RelayResistanceAnswer {
        let times = [minimum, maximum, transmission].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return try RelayResistanceAnswer(response: hex("800A A1A2A3A4") + times)
    }

    private func judge(
        _ units: Int, _ answer: RelayResistanceAnswer, exchange: Int = 1, rules: RelayResistanceRules? = nil
    ) -> RelayResistanceVerdict {
        (rules ?? self.rules).judge(answer, elapsed: .microseconds(units * 100), exchange: exchange)
    }

    // Single steps: 800AA1A2A3A40000FFFF0012 in time gives TVR 0000000082
    @Test func `an answer in time is a performed exchange`() throws {
        let answer = try RelayResistanceAnswer(response: hex("800AA1A2A3A40000FFFF0012"))
        #expect(answer.cardEntropy == hex("A1A2A3A4"))
        #expect([answer.minimumTime, answer.maximumTime, answer.transmissionTime] == [0, 0xFFFF, 0x12])
        #expect(judge(100, answer) == .done(excess: 0, .relayResistancePerformed))
        #expect(Kernel8VerificationResults([.kernel8, .relayResistancePerformed]).bytes == hex("0000000082"))
    }

    // EMV Book C-8 state 21: the measured time is what is left of the time without the transmission of command and
    // answer
    @Test func `command and answer take 36 units of a measured time`() throws {
        let answer = try answer(minimum: 20, maximum: 100)
        // 18 for the command and 18 for the answer, as the card says.
        #expect(judge(136, answer) == .done(excess: 0, .relayResistancePerformed))
        #expect(judge(137, answer) == .done(excess: 1, .relayResistancePerformed))
        #expect(judge(186, answer) == .done(excess: 50, .relayResistancePerformed))
        #expect(judge(187, answer) == .again(excess: 51))
        // A card that claims a longer transmission gets 24 for it.
        let slow = try self.answer(minimum: 20, maximum: 100, transmission: 40)
        #expect(judge(142, slow) == .done(excess: 0, .relayResistancePerformed))
        #expect(judge(143, slow) == .done(excess: 1, .relayResistancePerformed))
    }

    @Test func `a slow answer is asked for three times, and then reported`() throws {
        let answer = try answer(minimum: 20, maximum: 100)
        #expect(judge(300, answer, exchange: 1) == .again(excess: 164))
        #expect(judge(300, answer, exchange: 2) == .again(excess: 164))
        #expect(
            judge(300, answer, exchange: 3)
                == .done(excess: 164, [.relayResistancePerformed, .relayResistanceTimeLimitsExceeded]))
        #expect(judge(136, answer, exchange: 3) == .done(excess: 0, .relayResistancePerformed))
    }

    @Test func `an answer that the card can't have made ends the application`() throws {
        let answer = try answer(minimum: 100, maximum: 200)
        #expect(judge(36 + 80, answer) == .done(excess: 0, .relayResistancePerformed))
        #expect(judge(36 + 79, answer) == .tooFast)
        #expect(judge(36 + 79, answer, exchange: 3) == .tooFast)
        #expect(judge(0, answer) == .tooFast)
        #expect(judge(-1, answer) == .tooFast)
        // The grace period is longer than the shortest time.
        #expect(try judge(0, self.answer(minimum: 20, maximum: 200)) == .done(excess: 0, .relayResistancePerformed))
    }

    @Test(arguments: [(0x0B, true), (0x0C, false), (0x30, false), (0x31, true)] as [(UInt16, Bool)])
    func `estimates of the transmission that differ too much are reported`(estimate: UInt16, exceeds: Bool) throws {
        let verdict = try judge(60, answer(maximum: 200, transmission: estimate))
        let results: Kernel8VerificationResults =
            exceeds
            ? [.relayResistancePerformed, .relayResistanceThresholdExceeded] : [.relayResistancePerformed]
        #expect(verdict == .done(excess: 0, results))
    }

    @Test func `a card that takes much longer than its shortest time is reported`() throws {
        let answer = try answer(minimum: 100, maximum: 0xFFFF)
        #expect(judge(36 + 400, answer) == .done(excess: 0, .relayResistancePerformed))
        #expect(
            judge(36 + 401, answer)
                == .done(excess: 0, [.relayResistancePerformed, .relayResistanceThresholdExceeded]))
    }

    @Test func `without an estimate of one side nothing is compared`() throws {
        #expect(
            try judge(5000, answer(minimum: 100, transmission: 0)) == .done(excess: 0, .relayResistancePerformed))
        var rules = self.rules
        rules.expectedAnswerTime = 0
        #expect(
            try judge(5000, answer(minimum: 100), rules: rules) == .done(excess: 0, .relayResistancePerformed))
    }

    @Test func `no time is too long to be judged`() throws {
        let answer = try answer(minimum: 0, maximum: 0, transmission: 0)
        let verdict = rules.judge(answer, elapsed: .seconds(1_000_000), exchange: 3)
        #expect(
            verdict
                == .done(
                    excess: 0xFFFF - 0x12, [.relayResistancePerformed, .relayResistanceTimeLimitsExceeded]))
    }

    @Test(
        arguments: [
            ("", 0), ("77", 0), ("80", 1), ("8009", 1), ("800B", 1), ("800A", 2), ("800AA1A2A3A40000FFFF00", 11),
            ("800AA1A2A3A40000FFFF001200", 12), ("81800AA1A2A3A40000FFFF0012", 0),
        ] as [(String, Int)])
    func `an answer of another form is refused with the offset`(response: String, offset: Int) {
        #expect(throws: RelayResistanceError.malformedAnswer(offset: offset)) {
            try RelayResistanceAnswer(response: hex(response))
        }
    }
}
