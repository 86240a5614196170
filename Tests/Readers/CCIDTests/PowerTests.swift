import CCID
import Determinism
import SmartCard
import Testing

/// From a card in the slot to a card that takes commands.
@Suite struct PowerTests {
    private func expectPower(
        _ level: CCIDExchangeLevel = .tpdu, _ features: CCIDFeatures = [], fails error: CCIDError, _ script: [String],
        change: (inout CCIDClassDescriptor) -> Void = { _ in }
    ) async throws {
        var descriptor = CCIDClassDescriptor(level: level, features: features)
        change(&descriptor)
        let rig = try await Rig(descriptor, script)
        await #expect(throws: error) { try await rig.reader.powerOn() }
        await rig.expectDone()
    }

    @Test func `T=0 parameters come from the answer to reset`() async throws {
        // TC1 = 05, TC2 = 14 and inverse convention.
        let rig = try await Rig(
            .tpdu, power(1, "3F E0 00 05 40 14") + parameters(3, "00", "11 02 05 14 00"))
        let channel = try await rig.reader.powerOn()
        #expect(channel.atr.bytes == hex("3FE000054014"))
        #expect(channel.transmissionProtocol == 0)
        await rig.expectDone()
    }

    // EMV Book 1 §9.2.4.2.1: the terminal agrees on the size of its information field right after the answer to reset
    @Test func `T=1 parameters come from the answer to reset, and the information field size is negotiated`()
        async throws
    {
        let rig = try await Rig(
            .tpdu,
            power(1, TestATR.t1) + parameters(3, "01", "11 10 FF 45 00 FE 00") + [
                block(4, "00C101FE3E"), answer(4, "00E101FE1E"),
            ])
        #expect(try await rig.reader.powerOn().transmissionProtocol == 1)
        await rig.expectDone()
    }

    @Test func `a reader with all automatic features only gets the power-on command`() async throws {
        let features: CCIDFeatures = [.automaticVoltage, .automaticNegotiation, .automaticIFSD]
        let rig = try await Rig(.tpdu, features: features, power(1, TestATR.t1, select: "00"))
        #expect(try await rig.reader.powerOn().transmissionProtocol == 1)
        await rig.expectDone()
    }

    @Test func `a reader that selected one of two protocols is queried for it`() async throws {
        let rig = try await Rig(
            .shortAPDU, features: [.automaticNegotiation],
            power(1, TestATR.t0ThenT1) + [
                "> 6C 00000000 00 03 000000", "< 82 07000000 00 03 00 00 01 11100045 00FE00",
            ])
        #expect(try await rig.reader.powerOn().transmissionProtocol == 1)
        await rig.expectDone()
    }

    @Test func `a mute card is powered with every voltage, from 5 volts down`() async throws {
        let rig = try await Rig(
            .tpdu,
            status("65", 1, "01 00 00") + ["> 62 00000000 00 02 01 0000", "< 80 00000000 00 02 41 FE 00"]
                + status("63", 3, "01 00 01") + ["> 62 00000000 00 04 02 0000", "< 80 00000000 00 04 41 FE 00"]
                + status("63", 5, "01 00 01") + reset(6, TestATR.t0, select: "03") + parameters(7, "00", "1100000A00"))
        let before = rig.time.now()
        _ = try await rig.reader.powerOn()
        #expect(rig.time.now() == before.advanced(by: .milliseconds(40)))
        await rig.expectDone()
    }

    @Test func `only supported voltages are tried, three times, and a card without a response is mute`()
        async throws
    {
        func attempt(_ first: Int, _ sequence: String) -> [String] {
            status("65", first, "01 00 00") + [
                "> 62 00000000 00 \(sequence) 02 0000", "< 80 00000000 00 \(sequence) 41 FE 00",
            ] + status("63", first + 2, "01 00 01")
        }
        try await expectPower(
            fails: .cardMute, attempt(1, "02") + attempt(4, "05") + attempt(7, "08"),
            change: { $0.voltages = .volts3 })
    }

    @Test func `a card with bouncing contacts is powered again after a pause`() async throws {
        let rig = try await Rig(
            .tpdu, features: [.automaticVoltage],
            status("65", 1, "01 00 00") + ["> 62 00000000 00 02 00 0000", "< 80 00000000 00 02 41 FE 00"]
                + status("63", 3, "01 00 01") + power(4, TestATR.t0, select: "00") + parameters(6, "00", "1100000A00"))
        let before = rig.time.now()
        _ = try await rig.reader.powerOn()
        #expect(rig.time.now() == before.advanced(by: .milliseconds(100)))
        await rig.expectDone()
    }

    @Test func `a card removed before the second power-on is absent`() async throws {
        try await expectPower(
            .tpdu, [.automaticVoltage], fails: .cardAbsent,
            status("65", 1, "01 00 00") + ["> 62 00000000 00 02 00 0000", "< 80 00000000 00 02 40 FB 00"]
                + status("63", 3, "01 00 01") + status("65", 4, "02 00 00"))
    }

    // EMV Book 1 §8.4: a cold answer that breaks the rules gets one warm reset
    @Test func `an ATR that breaks the rules causes one warm reset`() async throws {
        // Without TB1 a cold answer is refused, a warm one is not.
        let rig = try await Rig(
            .tpdu, power(1, "3B00") + reset(3, "3B00") + parameters(4, "00", "1100000A00"))
        #expect(try await rig.reader.powerOn().atr.bytes == hex("3B00"))
        await rig.expectDone()
    }

    // EMV Book 1 §8.4: a warm answer that breaks the rules ends in deactivation
    @Test func `a second ATR that breaks the rules causes a deactivation`() async throws {
        // TD1 offers T=14 first.
        try await expectPower(
            fails: .answerToReset(.unsupportedProtocol(14)),
            power(1, "3BE000000EEE") + reset(3, "3BE000000EEE") + status("63", 4, "01 00 01"))
    }

    @Test func `a card without a valid ATR is given up after three tries`() async throws {
        try await expectPower(
            fails: .answerToReset(.notAnATR(.invalidInitialCharacter(0x00))),
            [1, 5, 9].flatMap { power($0, "0000") + reset($0 + 2, "0000") + status("63", $0 + 3, "01 00 01") })
    }

    @Test func `a reader that rejects the ATR itself gets a warm reset command`() async throws {
        let rig = try await Rig(
            .tpdu,
            status("65", 1, "01 00 00") + ["> 62 00000000 00 02 01 0000", "< 80 00000000 00 02 40 F7 00"]
                + reset(3, TestATR.t0) + parameters(4, "00", "1100000A00"))
        _ = try await rig.reader.powerOn()
        await rig.expectDone()
    }

    @Test func `an active card is powered off first, for a cold reset`() async throws {
        let rig = try await Rig(
            .tpdu,
            status("65", 1, "00 00 00") + status("63", 2, "01 00 01") + reset(3, TestATR.t0)
                + parameters(4, "00", "1100000A00"))
        _ = try await rig.reader.powerOn()
        await rig.expectDone()
    }

    @Test func `an empty slot is not powered`() async throws {
        try await expectPower(fails: .cardAbsent, status("65", 1, "02 00 00"))
    }

    @Test func `the host negotiates the rate of a fast card`() async throws {
        let rig = try await Rig(
            .tpdu,
            power(1, TestATR.fastT0) + [block(3, "FF1013FC"), answer(3, "FF1013FC")]
                + parameters(4, "00", "1300000A00"))
        _ = try await rig.reader.powerOn()
        await rig.expectDone()
    }

    @Test func `a card that omits the rate in its PPS response stays at the initial one`() async throws {
        let rig = try await Rig(
            .tpdu,
            power(1, TestATR.fastT0) + [block(3, "FF1013FC"), answer(3, "FF00FF")] + parameters(4, "00", "1100000A00"))
        _ = try await rig.reader.powerOn()
        await rig.expectDone()
    }

    @Test func `a card that rejects PPS is reset and used with its defaults`() async throws {
        let rig = try await Rig(
            .tpdu,
            power(1, TestATR.fastT0) + [block(3, "FF1013FC"), "< 80 00000000 00 03 40 FE 00"]
                + status("63", 4, "01 00 01") + reset(5, TestATR.fastT0) + parameters(6, "00", "1100000A00"))
        _ = try await rig.reader.powerOn()
        await rig.expectDone()
    }

    @Test func `a reader that does PPS itself gets the rate`() async throws {
        let rig = try await Rig(
            .tpdu, features: [.automaticPPS], power(1, TestATR.fastT0) + parameters(3, "00", "1300000A00"))
        _ = try await rig.reader.powerOn()
        await rig.expectDone()
    }

    @Test func `a reader that is too slow for a card keeps the initial rate`() async throws {
        var descriptor = CCIDClassDescriptor(level: .tpdu)
        descriptor.maximumDataRate = 10_753
        let rig = try await Rig(descriptor, power(1, TestATR.fastT0) + parameters(3, "00", "1100000A00"))
        _ = try await rig.reader.powerOn()
        await rig.expectDone()
    }

    @Test func `the second offered protocol is negotiated if the reader only supports that one`() async throws {
        var descriptor = CCIDClassDescriptor(level: .tpdu, features: [.automaticIFSD])
        descriptor.protocols = .t1
        let rig = try await Rig(
            descriptor,
            power(1, TestATR.t0ThenT1) + [block(3, "FF01FE"), answer(3, "FF01FE")]
                + parameters(4, "01", "11 10 00 45 00 FE 00"))
        #expect(try await rig.reader.powerOn().transmissionProtocol == 1)
        await rig.expectDone()
    }

    // EMV Book 1 §8.3.3: a card in specific mode is used at its own parameters, without negotiation
    @Test func `specific mode is used without PPS`() async throws {
        let rig = try await Rig(
            .tpdu, power(1, TestATR.specificT0) + parameters(3, "00", "1200000A00"))
        _ = try await rig.reader.powerOn()
        await rig.expectDone()
    }

    @Test func `a reader that rejects parameters but sets them itself works`() async throws {
        let rig = try await Rig(
            .shortAPDU, features: [.automaticParameters],
            power(1, TestATR.t0) + ["> 61 05000000 00 03 000000 1100000A00", "< 81 00000000 00 03 40 00 00"])
        _ = try await rig.reader.powerOn()
        await rig.expectDone()
    }

    @Test func `a reader that refuses parameters leaves the card without power`() async throws {
        try await expectPower(
            fails: .failed(.setParameters, .badField(offset: 10)),
            power(1, TestATR.t0) + ["> 61 05000000 00 03 000000 1100000A00", "< 82 00000000 00 03 40 0A 00"]
                + status("63", 4, "01 00 01"))
    }

    @Test func `a card removed during power-on is absent`() async throws {
        try await expectPower(
            fails: .cardAbsent,
            power(1, TestATR.t0) + ["> 61 05000000 00 03 000000 1100000A00", "< 82 00000000 00 03 42 FE 00"])
    }

    @Test func `a canceled power-on leaves the card without power`() async throws {
        let rig = try await Rig(
            .tpdu,
            status("65", 1, "01 00 00") + ["> 62 00000000 00 02 01 0000", "<~"] + abort(3)
                + status("63", 4, "01 00 01"))
        let task = Task { try await rig.reader.powerOn() }
        await rig.until { rig.transport.isHanging }
        task.cancel()
        await #expect(throws: CCIDError.canceled) { try await task.value }
        await rig.expectDone()
    }
}
