import SmartCard
import Testing

struct EMVATRRulesTests {
    /// T0 and what follows, completed by TS and TCK.
    private func atr(_ body: String) -> [UInt8] { [0x3B] + bytes(body) + [bytes(body).reduce(0, ^)] }

    // EMV Book 1 §8.3: an answer that keeps to the basic forms is taken after a cold reset
    @Test(arguments: [
        "3B6500002063CB6600", "3BF81300008131FE454A434F5076323431B7", "3B6000 00", "3BE000008131204560",
    ])
    func `payment cards are taken after a cold reset`(text: String) {
        var input = bytes(text)
        if text.hasPrefix("3BE0") { input[input.count - 1] = input[1...7].reduce(0, ^) }
        #expect(EMVATRRules.verdict(on: input, after: .cold) == .accept)
    }

    // EMV Book 1 §8.4: a cold answer that is not taken leads to one warm reset, and a warm one to deactivation
    @Test func `an invalid cold ATR causes a warm reset, an invalid warm one ends the session`() {
        #expect(
            EMVATRRules.verdict(on: bytes("3B"), after: .cold) == .warmReset(.notAnATR(.truncated(offset: 1))))
        #expect(EMVATRRules.verdict(on: [], after: .warm) == .deactivate(.notAnATR(.empty)))
    }

    // EMV Book 1 §8.3.3: TB1 must be there and zero after a cold reset and does not count after a warm one
    @Test func `TB1 counts after a cold reset only`() {
        for (text, value) in [("3F65250833046C9000", 0x25 as UInt8?), ("3B00", nil)] {
            #expect(EMVATRRules.verdict(on: bytes(text), after: .cold) == .warmReset(.programmingVoltage(value)))
            #expect(EMVATRRules.verdict(on: bytes(text), after: .warm) == .accept)
        }
    }

    // EMV Book 1 §8.3.3: protocols, modes, field sizes, waiting times and checks that EMV does not have are refused
    @Test(arguments: [
        ("A0 00 02", EMVATRRules.Reason.unsupportedProtocol(2)),
        ("A0 00 81 0E", .unexpectedProtocol(14)),
        ("B0 94 00 11 01", .unsupportedSpecificMode(ta2: 0x01, ta1: 0x94)),
        ("B0 12 00 11 11", .unsupportedSpecificMode(ta2: 0x11, ta1: 0x12)),
        ("B0 12 00 11 00", .unsupportedSpecificMode(ta2: 0x00, ta1: 0x12)),
        ("A0 00 81 31 0F 45", .informationFieldSize(0x0F)),
        ("A0 00 81 11 20", .waitingTimes(nil)),
        ("A0 00 81 31 20 55", .waitingTimes(0x55)),
        ("A0 00 81 31 20 46", .waitingTimes(0x46)),
        ("E0 00 03 81 31 20 42", .waitingTimes(0x42)),
        ("A0 00 81 71 20 45 01", .errorDetection(0x01)),
        ("A0 00 21 00", .programmingVoltageTwo),
    ])
    func `unsupported properties are reported`(body: String, reason: EMVATRRules.Reason) {
        #expect(EMVATRRules.verdict(on: atr(body), after: .cold) == .warmReset(reason))
        #expect(EMVATRRules.verdict(on: atr(body), after: .warm) == .deactivate(reason))
        #expect(!reason.description.isEmpty)
    }

    // EMV Book 1 §8.3.3: a work waiting time integer of zero is refused
    @Test func `a waiting time of zero is refused`() {
        #expect(
            EMVATRRules.verdict(on: bytes("3BA0 00 40 00"), after: .warm) == .deactivate(.waitingTimeZero))
    }

    // EMV Book 1 §8.3.3: specific mode is taken at a rate that the terminal supports
    @Test func `specific mode with a known rate is taken`() {
        #expect(EMVATRRules.verdict(on: atr("B0 13 00 91 01 31 20 45"), after: .cold) == .accept)
    }

    // EMV Book 1 §8.3.3: an extra guard time of FF is the shortest, and the character waiting time must be longer
    // than the guard time
    @Test func `an extra guard time of FF is the shortest`() {
        #expect(EMVATRRules.verdict(on: atr("E0 00 FF 81 31 20 40"), after: .cold) == .accept)
        #expect(
            EMVATRRules.verdict(on: atr("E0 00 00 81 31 20 40"), after: .warm) == .deactivate(.waitingTimes(0x40)))
    }
}
