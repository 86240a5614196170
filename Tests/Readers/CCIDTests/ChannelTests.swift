import CCID
import SmartCard
import Testing

/// Commands to a powered card at the three exchange levels.
@Suite struct ChannelTests {
    // MARK: TPDU level, T=0

    private func t0(_ script: [String], interrupt: Bool = false) async throws -> (Rig, CCIDCardChannel) {
        let rig = try await Rig(.tpdu, interrupt: interrupt, readyForT0 + script)
        return (rig, try await rig.reader.powerOn())
    }

    private static let record = CommandAPDU(0x00, 0xB2, 0x01, 0x0C, le: 0)
    private static let recordTPDU = "00B2010C00"

    @Test func `after 6Cxx the command is repeated with the correct length`() async throws {
        let (rig, channel) = try await t0([
            block(4, Self.recordTPDU), answer(4, "6C03"), block(5, "00B2010C03"), answer(5, "7001AA9000"),
        ])
        #expect(try await channel.transmit(Self.record).bytes == hex("7001AA9000"))
        await rig.expectDone()
    }

    @Test func `after 61xx GET RESPONSE is sent`() async throws {
        let (rig, channel) = try await t0([
            block(4, "00A40400023F00"), answer(4, "6104"), block(5, "00C0000004"), answer(5, "6F0284009000"),
        ])
        let select = try CommandAPDU(cla: 0, ins: 0xA4, p1: 4, p2: 0, data: [0x3F, 0x00], expectedLength: 256)
        #expect(try await channel.transmit(select).bytes == hex("6F0284009000"))
        await rig.expectDone()
    }

    @Test func `an extended length is rejected before anything is sent, and the session stays usable`() async throws {
        let (rig, channel) = try await t0([block(4, Self.recordTPDU), answer(4, "9000")])
        let long = try CommandAPDU(
            cla: 0, ins: 0xD6, p1: 0, p2: 0, data: [UInt8](repeating: 0, count: 256), expectedLength: nil)
        await #expect(
            throws: CardChannelError.notSupported(T0Error.extendedLengthNotSupported.description)
        ) { try await channel.transmit(long) }
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test func `an answer without a status word breaks the protocol`() async throws {
        let (rig, channel) = try await t0([block(4, Self.recordTPDU), answer(4, "90")])
        await #expect(
            throws: CardChannelError.protocolViolation(T0Error.answerTooShort(1).description)
        ) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test(arguments: [
        ("41 FE 00", CardChannelError.cardMute),
        ("40 FE 00", .cardMute),
        ("42 FE 00", .cardRemoved),
        ("02 00 00", .cardRemoved),
        ("01 00 00", .cardMute),
        ("40 F4 00", .protocolViolation(CCIDError.failed(.transferBlock, .procedureByteConflict).description)),
    ]) func `a failed exchange reports the card's state and ends the session`(
        status: String, error: CardChannelError
    ) async throws {
        let (rig, channel) = try await t0([block(4, Self.recordTPDU), answer(4, "", status)])
        await #expect(throws: error) { try await channel.transmit(Self.record) }
        await #expect(throws: CardChannelError.self) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test func `a failure with data is a failure`() async throws {
        let (rig, channel) = try await t0([block(4, Self.recordTPDU), answer(4, "9000", "41 FE 00")])
        await #expect(throws: CardChannelError.cardMute) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test func `two simultaneous commands are sent one after the other`() async throws {
        let (rig, channel) = try await t0([
            block(4, Self.recordTPDU), answer(4, "6C01"), block(5, "00B2010C01"), answer(5, "AA9000"),
            block(6, Self.recordTPDU), answer(6, "6C01"), block(7, "00B2010C01"), answer(7, "AA9000"),
        ])
        async let first = channel.transmit(Self.record)
        async let second = channel.transmit(Self.record)
        #expect(try await first.data == [0xAA])
        #expect(try await second.data == [0xAA])
        await rig.expectDone()
    }

    // MARK: TPDU level, T=1

    private func t1(_ script: [String]) async throws -> (Rig, CCIDCardChannel) {
        let ready =
            power(1, TestATR.t1) + parameters(3, "01", "11 10 FF 45 00 FE 00") + [
                block(4, "00C101FE3E"), answer(4, "00E101FE1E"),
            ]
        let rig = try await Rig(.tpdu, ready + script)
        return (rig, try await rig.reader.powerOn())
    }

    /// A block with its check byte.
    private func lrc(_ text: String) -> String {
        let bytes = hex(text)
        return hex(bytes + [bytes.reduce(0, ^)])
    }

    @Test func `a T=1 command is one block each way`() async throws {
        let (rig, channel) = try await t1([
            block(5, lrc("000005 00B2010C00")), answer(5, lrc("000003 AA9000")),
        ])
        #expect(try await channel.transmit(Self.record).bytes == hex("AA9000"))
        await rig.expectDone()
    }

    @Test func `long T=1 commands and answers are chained in blocks`() async throws {
        let data = [UInt8](repeating: 0x55, count: 255)
        let apdu = hex("00DA0000FF") + data + [0]
        let (rig, channel) = try await t1([
            block(5, lrc("0020FE" + hex(apdu.prefix(254)))), answer(5, lrc("009000")),
            block(6, lrc("004007" + hex(apdu.dropFirst(254)))), answer(6, lrc("002002 AABB")),
            block(7, lrc("009000")), answer(7, lrc("004003 CC9000")),
        ])
        let command = try CommandAPDU(cla: 0, ins: 0xDA, p1: 0, p2: 0, data: data, expectedLength: 256)
        #expect(try await channel.transmit(command).bytes == hex("AABBCC9000"))
        await rig.expectDone()
    }

    @Test func `more waiting time reaches the reader as its multiplier`() async throws {
        let (rig, channel) = try await t1([
            block(5, lrc("000005 00B2010C00")), answer(5, lrc("00C30103")),
            block(6, lrc("00E30103"), "03 0000"), answer(6, lrc("000002 9000")),
        ])
        #expect(try await channel.transmit(Self.record).status == .success)
        #expect(rig.transport.readTimeouts.last == .seconds(30))
        await rig.expectDone()
    }

    @Test func `a damaged block and a missing one are requested again`() async throws {
        let (rig, channel) = try await t1([
            block(5, lrc("000005 00B2010C00")), answer(5, "000002900000"),
            block(6, lrc("008100")), answer(6, "", "40 FE 00"),
            block(7, lrc("008200")), answer(7, lrc("000002 9000")),
        ])
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test func `a T=1 card that stays silent is mute`() async throws {
        let (rig, channel) = try await t1([
            block(5, lrc("000005 00B2010C00")), answer(5, "", "40 FE 00"),
            block(6, lrc("008200")), answer(6, "", "40 FE 00"),
            block(7, lrc("008200")), answer(7, "", "40 FE 00"),
        ])
        await #expect(throws: CardChannelError.cardMute) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test func `a parity error is a damaged block`() async throws {
        let (rig, channel) = try await t1([
            block(5, lrc("000005 00B2010C00")), answer(5, "", "40 FD 00"),
            block(6, lrc("008200")), answer(6, lrc("000002 9000")),
        ])
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test func `a removed T=1 card gets no further request`() async throws {
        let (rig, channel) = try await t1([block(5, lrc("000005 00B2010C00")), answer(5, "", "42 FE 00")])
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    // MARK: APDU levels

    private func apdu(_ level: CCIDExchangeLevel, length: UInt32 = 271, _ script: [String]) async throws -> (
        Rig, CCIDCardChannel
    ) {
        var descriptor = CCIDClassDescriptor(level: level, features: [.automaticNegotiation])
        descriptor.maximumMessageLength = length
        let rig = try await Rig(descriptor, power(1, TestATR.t0) + script)
        return (rig, try await rig.reader.powerOn())
    }

    @Test func `at short APDU level a command is sent in one message, up to the maximum length`() async throws {
        let data = [UInt8](repeating: 0x77, count: 255)
        let (rig, channel) = try await apdu(
            .shortAPDU, length: 263, [block(3, "00DA0000FF" + hex(data) + "00"), answer(3, hex(data) + "9000")])
        let command = try CommandAPDU(cla: 0, ins: 0xDA, p1: 0, p2: 0, data: data, expectedLength: 256)
        #expect(try await channel.transmit(command).data == data)
        await rig.expectDone()
    }

    @Test func `at short APDU level an extended length is not supported`() async throws {
        let (rig, channel) = try await apdu(.shortAPDU, [block(3, Self.recordTPDU), answer(3, "9000")])
        let long = try CommandAPDU(cla: 0, ins: 0xB0, p1: 0, p2: 0, data: [], expectedLength: 300)
        await #expect(
            throws: CardChannelError.notSupported(CCIDError.extendedLengthNotSupported.description)
        ) { try await channel.transmit(long) }
        #expect(try await channel.transmit(Self.record).status == .success)
        await rig.expectDone()
    }

    @Test func `the driver handles 61xx and 6Cxx for a reader that does not`() async throws {
        let (rig, channel) = try await apdu(
            .shortAPDU,
            [
                block(3, "00A40400023F0000"), answer(3, "6103"), block(4, "00C0000003"), answer(4, "6F01AA9000"),
                block(5, Self.recordTPDU), answer(5, "6C01"), block(6, "00B2010C01"), answer(6, "AA9000"),
            ])
        let select = try CommandAPDU(cla: 0, ins: 0xA4, p1: 4, p2: 0, data: [0x3F, 0x00], expectedLength: 256)
        #expect(try await channel.transmit(select).bytes == hex("6F01AA9000"))
        #expect(try await channel.transmit(Self.record).bytes == hex("AA9000"))
        await rig.expectDone()
    }

    @Test func `at extended APDU level a long command and a long response are chained`() async throws {
        let data = [UInt8](repeating: 0x42, count: 700)
        let command = try CommandAPDU(cla: 0, ins: 0xDA, p1: 0, p2: 0, data: data, expectedLength: 65_536)
        let bytes = command.bytes
        let part = String(repeating: "AB", count: 261)
        let (rig, channel) = try await apdu(
            .extendedAPDU,
            [
                block(3, hex(bytes[..<261]), "00 0100"), answer(3, "", "00 00 10"),
                block(4, hex(bytes[261..<522]), "00 0300"), answer(4, "", "00 00 10"),
                block(5, hex(bytes[522...]), "00 0200"), answer(5, part, "00 00 01"),
                block(6, "", "00 1000"), answer(6, part, "00 00 03"),
                block(7, "", "00 1000"), answer(7, "CD9000", "00 00 02"),
            ])
        let response = try await channel.transmit(command)
        #expect(hex(response.data) == part + part + "CD")
        #expect(response.status == .success)
        await rig.expectDone()
    }

    @Test func `a command that fits is sent in one message at extended APDU level`() async throws {
        let data = [UInt8](repeating: 0x42, count: 300)
        let command = try CommandAPDU(cla: 0, ins: 0xDA, p1: 0, p2: 0, data: data, expectedLength: nil)
        let (rig, channel) = try await apdu(
            .extendedAPDU, length: 0xFFFF_FFFF, [block(3, hex(command.bytes)), answer(3, "9000")])
        #expect(try await channel.transmit(command).status == .success)
        await rig.expectDone()
    }

    @Test(
        arguments: [
            (["00 00 02"], "9000", 2), (["00 00 03"], "9000", 3), (["00 00 10"], "", 0x10),
            (["00 00 77"], "9000", 0x77),
            (["00 00 01", "00 00 00"], "9000", 0), (["00 00 01", "00 00 01"], "9000", 1),
        ] as [([String], String, UInt8)])
    func `parts out of order break the protocol`(places: [String], part: String, wrong: UInt8) async throws {
        var script = [block(3, Self.recordTPDU), answer(3, part, places[0])]
        if places.count > 1 { script += [block(4, "", "00 1000"), answer(4, part, places[1])] }
        let (rig, channel) = try await apdu(.extendedAPDU, script)
        await #expect(
            throws: CardChannelError.protocolViolation(CCIDError.brokenChain(wrong).description)
        ) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }

    @Test func `a chained command without a request for the next part breaks the protocol`() async throws {
        let data = [UInt8](repeating: 0x42, count: 300)
        let command = try CommandAPDU(cla: 0, ins: 0xDA, p1: 0, p2: 0, data: data, expectedLength: nil)
        let (rig, channel) = try await apdu(
            .extendedAPDU, [block(3, hex(command.bytes.prefix(261)), "00 0100"), answer(3, "9000")])
        await #expect(
            throws: CardChannelError.protocolViolation(CCIDError.brokenChain(0).description)
        ) { try await channel.transmit(command) }
        await rig.expectDone()
    }

    @Test func `a chained response that is empty or endless is aborted`() async throws {
        let (rig, channel) = try await apdu(
            .extendedAPDU,
            [
                block(3, Self.recordTPDU), answer(3, "AA", "00 00 01"), block(4, "", "00 1000"),
                answer(4, "", "00 00 03"),
            ])
        await #expect(throws: CardChannelError.self) { try await channel.transmit(Self.record) }
        await rig.expectDone()
        let part = String(repeating: "AB", count: 33_000)
        let (second, other) = try await apdu(
            .extendedAPDU, length: 65_554,
            [
                block(3, Self.recordTPDU), answer(3, part, "00 00 01"), block(4, "", "00 1000"),
                answer(4, part, "00 00 03"),
            ])
        await #expect(
            throws: CardChannelError.protocolViolation(APDUError.responseTooLong(66_000).description)
        ) { try await other.transmit(Self.record) }
        await second.expectDone()
    }

    @Test func `an answer without a status word breaks the protocol at APDU level too`() async throws {
        let (rig, channel) = try await apdu(.extendedAPDU, [block(3, Self.recordTPDU), answer(3, "")])
        await #expect(
            throws: CardChannelError.protocolViolation(APDUError.responseTooShort(0).description)
        ) { try await channel.transmit(Self.record) }
        await rig.expectDone()
    }
}
