import SmartCard
import Testing

struct ATRTests {
    // EMV Book 1 §8.3: the characters of an answer to reset are found by T0 and the TDi before them, and T=0 alone
    // has no TCK
    @Test func `a payment card with T=0 alone`() throws {
        let atr = try ATR(bytes("3B6500002063CB6600"))
        #expect(atr.convention == .direct)
        #expect(atr.offeredProtocols == [0])
        #expect(atr.group(1)?.tb == 0)
        #expect(atr.extraGuardTime == 0)
        #expect(atr.historicalBytes == bytes("2063CB6600"))
        #expect(atr.checkByte == nil)
        #expect(atr.specificMode == nil)
        #expect(atr.offeredRate == .initial)
        #expect(atr.waitingTimeInteger == 10)
        #expect(atr.supplyClasses == nil)
    }

    // EMV Book 1 §8.3.3: the interface characters give IFSC, block and character waiting times and the kind of check
    // EMV Book 1 §8.3.4: TCK makes the exclusive or of all characters from T0 on zero
    @Test func `a card with T=1 and global bytes`() throws {
        let atr = try ATR(bytes("3BDF18FF81F1FE43003F03834D494641524520506C75732053414D3B"))
        #expect(atr.offeredProtocols == [1])
        #expect(atr.offeredRate?.clockRateConversion == 372)
        #expect(atr.offeredRate?.baudRateAdjustment == 12)
        #expect(atr.extraGuardTime == 0xFF)
        #expect(atr.guardTime(inProtocol: 1) == 11)
        #expect(atr.guardTime(inProtocol: 0) == 12)
        #expect(atr.cardInformationFieldSize == 254)
        #expect(atr.blockWaitingTimeInteger == 4)
        #expect(atr.characterWaitingTimeInteger == 3)
        #expect(atr.errorDetection == .lrc)
        #expect(atr.supplyClasses == [.fiveVolt, .threeVolt])
        #expect(atr.clockStop == .notSupported)
        #expect(atr.group(4)?.tb == 0x83)
        #expect(atr.historicalBytes == Array("MIFARE Plus SAM".utf8))
        #expect(atr.checkByte == 0x3B)
    }

    @Test func `a Java card with T=1`() throws {
        let atr = try ATR(bytes("3BF81300008131FE454A434F5076323431B7"))
        #expect(atr.offeredProtocols == [1])
        #expect(atr.rateByte == 0x13)
        #expect(atr.offeredRate?.baudRateAdjustment == 4)
        #expect(atr.characterWaitingTimeInteger == 5)
        #expect(atr.historicalBytes == Array("JCOPv241".utf8))
    }

    // EMV Book 1 §8.3.1: TS 3F announces the inverse convention
    @Test func `inverse convention`() throws {
        let atr = try ATR(bytes("3F65250833046C9000"))
        #expect(atr.convention == .inverse)
        #expect(atr.group(1)?.tb == 0x25)
        #expect(atr.guardTime(inProtocol: 0) == 20)
        #expect(atr.historicalBytes == bytes("33046C9000"))
    }

    // EMV Book 1 §8.3.3: TA2 tells that the card is in specific mode, and for which protocol
    @Test func `two protocols, specific mode and T=0 waiting time`() throws {
        // TD1 80: T=0, TD2 only; TD2 31: T=1 with TA3 and TB3.
        let both = try ATR(bytes("3B8080 31 FE 45") + [0x80 ^ 0x80 ^ 0x31 ^ 0xFE ^ 0x45])
        #expect(both.offeredProtocols == [0, 1])
        #expect(both.defaultProtocol == 0)
        // TA1 95, TD1 D1 (TA2, TC2, TD2), TA2 91, TC2 20, TD2 01.
        let body = bytes("9095D1 91 20 01")
        let specific = try ATR([0x3B] + body + [body.reduce(0, ^)])
        #expect(specific.specificMode?.transmissionProtocol == 1)
        #expect(specific.specificMode?.usesImplicitParameters == true)
        #expect(specific.specificMode?.isPermanent == true)
        #expect(specific.defaultProtocol == 1)
        #expect(specific.waitingTimeInteger == 0x20)
        #expect(specific.offeredRate?.clockRateConversion == 512)
        #expect(specific.cardInformationFieldSize == 32)
        #expect(specific.blockWaitingTimeInteger == 4)
        #expect(specific.characterWaitingTimeInteger == 13)
    }

    @Test func `clock stop, classes and CRC`() throws {
        // T=1 with TC3 01, T=15 with TA4 C7.
        let body = bytes("80 81 C1 01 1F C7")
        let atr = try ATR([0x3B] + body + [body.reduce(0, ^)])
        #expect(atr.errorDetection == .crc)
        #expect(atr.clockStop == .noPreference)
        #expect(atr.supplyClasses == [.fiveVolt, .threeVolt, .oneVoltEight])
    }

    // EMV Book 1 §8.3.4: an answer whose TCK is wrong is refused
    @Test(arguments: [
        ("", ATRError.empty), ("03", .invalidInitialCharacter(0x03)), ("3B", .truncated(offset: 1)),
        ("3B6500002063CB66", .truncated(offset: 8)), ("3B10", .truncated(offset: 2)),
        ("3B8001", .truncated(offset: 3)), ("3B800180", .wrongCheckByte(offset: 3)),
        ("3B6500002063CB660000", .trailingBytes(offset: 9)), ("3B80018100", .trailingBytes(offset: 4)),
        ("3B" + String(repeating: "00", count: 33), .tooLong(34)),
    ])
    func `a malformed ATR is reported with the position`(text: String, error: ATRError) {
        #expect(throws: error) { try ATR(bytes(text)) }
    }

    // EMV Book 1 §9.2.2: the work waiting time of T=0 follows from WI, the rate and the clock
    // EMV Book 1 §9.2.4: block and character waiting times of T=1 follow from BWI and CWI
    @Test func `waiting times follow the clock`() throws {
        let plain = try ATR(bytes("3B00"))
        // 960 x 10 x 372 / 3,571,200 Hz = 1 s.
        #expect(plain.workWaitingTime(clockHertz: 3_571_200) == .seconds(1))
        let jcop = try ATR(bytes("3BF81300008131FE454A434F5076323431B7"))
        // 2^4 x 960 x 372 / 3,571,200 Hz = 1.6 s, and 11 etu of 1/9600 s.
        #expect(jcop.blockWaitingTime(clockHertz: 3_571_200) == .milliseconds(1600) + .seconds(11) / 9600)
        // 2^5 + 11 = 43 etu.
        #expect(jcop.characterWaitingTime(clockHertz: 3_571_200) == .seconds(43) / 9600)
        let fast = try #require(TransmissionRate(rateByte: 0x13))
        #expect(jcop.characterWaitingTime(rate: fast, clockHertz: 3_571_200) == .seconds(43) / 38_400)
        #expect(plain.workWaitingTime(rate: fast, clockHertz: 3_571_200) == .seconds(1))
        #expect(plain.workWaitingTime(clockHertz: 0) > .zero)
    }

    @Test func `rates kept for future use have no values`() {
        for byte in [0x70, 0x81, 0xE1, 0xF1, 0x10, 0x1A, 0x1F] as [UInt8] {
            #expect(TransmissionRate(rateByte: byte) == nil)
        }
        #expect(TransmissionRate(rateByte: 0x97)?.baudRateAdjustment == 64)
    }

    @Test func `no bytes crash the parser, and a parsed ATR is complete`() {
        var chance = SeededGenerator(seed: 10)
        let good = bytes("3BDF18FF81F1FE43003F03834D494641524520506C75732053414D3B")
        for length in 0..<good.count { #expect(throws: ATRError.self) { try ATR(Array(good.prefix(length))) } }
        for round in 0..<5000 {
            let input =
                round % 2 == 0 ? [0x3B] + chance.bytes(chance.number(0...35)) : chance.mutated(good)
            guard let atr = try? ATR(input) else { continue }
            #expect(!atr.offeredProtocols.isEmpty)
            let groups = atr.interfaceBytes.flatMap { [$0.ta, $0.tb, $0.tc, $0.td].compactMap { $0 } }
            #expect(2 + groups.count + atr.historicalBytes.count + (atr.checkByte == nil ? 0 : 1) == input.count)
            _ = (
                atr.blockWaitingTime(clockHertz: 1), atr.workWaitingTime(clockHertz: 1),
                atr.characterWaitingTime(clockHertz: 1)
            )
            _ = EMVATRRules.verdict(on: input, after: .cold)
        }
    }
}
