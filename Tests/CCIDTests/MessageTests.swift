import CCID
import Testing

@Suite struct MessageTests {
    static let commands: [(CCIDCommand, String)] = [
        (.powerOn(.automatic), "62 00000000 02 07 00 0000"),
        (.powerOn(.volts1_8), "62 00000000 02 07 03 0000"),
        (.powerOff, "63 00000000 02 07 000000"),
        (.getSlotStatus, "65 00000000 02 07 000000"),
        (.transferBlock(hex("00A40400023F00")), "6F 07000000 02 07 00 0000 00A40400023F00"),
        (
            .transferBlock(hex("00C302FF"), waitingTimeMultiplier: 3, level: .continues),
            "6F 04000000 02 07 03 0300 00C302FF"
        ),
        (.transferBlock([], level: .awaitsMore), "6F 00000000 02 07 00 1000"),
        (.getParameters, "6C 00000000 02 07 000000"),
        (.resetParameters, "6D 00000000 02 07 000000"),
        (.setParameters(.t0(CCIDT0Parameters())), "61 05000000 02 07 00 0000 110000 0A00"),
        (
            .setParameters(.t1(CCIDT1Parameters(rates: 0x13, waitingIntegers: 0x45, informationFieldSize: 254))),
            "61 07000000 02 07 01 0000 1310004500FE00"
        ),
        (.escape([1, 2, 3]), "6B 03000000 02 07 000000 010203"),
        (.clock(.stop), "6E 00000000 02 07 01 0000"),
        (.t0APDU(changes: 3, classGetResponse: 0xA0, classEnvelope: 0xC2), "6A 00000000 02 07 03 A0 C2"),
        (.secure([0, 30, 0x82], waitingTimeMultiplier: 0), "69 03000000 02 07 00 0000 001E82"),
        (.mechanical(.eject), "71 00000000 02 07 02 0000"),
        (.abort, "72 00000000 02 07 000000"),
        (.setDataRateAndClockFrequency(clock: 4_000, dataRate: 9_600), "73 08000000 02 07 000000 A00F0000 80250000"),
    ]

    static let responses: [(CCIDResponse, CCIDStatus, String)] = [
        (.dataBlock(hex("3B600000")), CCIDStatus(card: .active), "80 04000000 02 07 00 00 00 3B600000"),
        (.dataBlock([0x90], chain: .begins), CCIDStatus(card: .active), "80 01000000 02 07 00 00 01 90"),
        (
            .dataBlock([]), CCIDStatus(card: .absent, outcome: .failed(.cardMute)),
            "80 00000000 02 07 42 FE 00"
        ),
        (
            .dataBlock([]), CCIDStatus(card: .active, outcome: .timeExtension(multiplier: 5)),
            "80 00000000 02 07 80 05 00"
        ),
        (.slotStatus(.stoppedHigh), CCIDStatus(card: .inactive), "81 00000000 02 07 01 00 02"),
        (
            .parameters(.t0(CCIDT0Parameters())), CCIDStatus(card: .active),
            "82 05000000 02 07 00 00 00 110000 0A00"
        ),
        (
            .parameters(.t1(CCIDT1Parameters())), CCIDStatus(card: .active),
            "82 07000000 02 07 00 00 01 1110004D002000"
        ),
        (
            .parameters(nil), CCIDStatus(card: .active, outcome: .failed(.badField(offset: 7))),
            "82 00000000 02 07 40 07 00"
        ),
        (.escape([9]), CCIDStatus(card: .inactive), "83 01000000 02 07 01 00 00 09"),
        (
            .dataRateAndClockFrequency(clock: 4_000, dataRate: 9_600), CCIDStatus(card: .active),
            "84 08000000 02 07 00 00 00 A00F0000 80250000"
        ),
    ]

    @Test(arguments: commands) func `a command is these bytes, and they are that command`(
        command: CCIDCommand, text: String
    ) throws {
        let message = CCIDCommandMessage(slot: 2, sequence: 7, command: command)
        #expect(hex(message.bytes) == hex(hex(text)))
        #expect(try CCIDCommandMessage(bytes: hex(text)) == message)
    }

    @Test(arguments: responses) func `an answer is these bytes, and they are that answer`(
        response: CCIDResponse, status: CCIDStatus, text: String
    ) throws {
        let message = CCIDResponseMessage(slot: 2, sequence: 7, status: status, response: response)
        #expect(hex(message.bytes) == hex(hex(text)))
        #expect(try CCIDResponseMessage(bytes: hex(text)) == message)
    }

    @Test func `every error code is an error of its own`() {
        for code in UInt8.min...UInt8.max { #expect(CCIDSlotError(code: code).code == code) }
        #expect(CCIDSlotError(code: 0xFE) == .cardMute)
        #expect(CCIDSlotError(code: 0x00) == .commandNotSupported)
        #expect(CCIDSlotError(code: 0x07) == .badField(offset: 7))
        #expect(CCIDSlotError(code: 0xA0) == .other(0xA0))
    }

    @Test(arguments: [
        ("", CCIDMessageError.tooShort(0)),
        ("8000000000000000 00", .tooShort(9)),
        ("80 05000000 00 00 000000 9000", .wrongLength(claimed: 5, actual: 2)),
        ("80 01000000 00 00 000000 9000", .wrongLength(claimed: 1, actual: 2)),
        ("80 FFFFFFFF 00 00 000000 9000", .wrongLength(claimed: 0xFFFF_FFFF, actual: 2)),
        ("7F 00000000 00 00 000000", .unknownType(0x7F)),
        ("80 00000000 00 00 030000", .invalidField(name: "bmICCStatus", offset: 7, value: 3)),
        ("80 00000000 00 00 C00000", .invalidField(name: "bmCommandStatus", offset: 7, value: 0xC0)),
        ("80 00000000 00 00 000004", .invalidField(name: "bChainParameter", offset: 9, value: 4)),
        ("81 00000000 00 00 000009", .invalidField(name: "bClockStatus", offset: 9, value: 9)),
        ("81 01000000 00 00 000000 00", .wrongDataLength(expected: 0, actual: 1)),
        ("82 04000000 00 00 000000 11000A00", .wrongDataLength(expected: 5, actual: 4)),
        ("82 05000000 00 00 000001 1100000A00", .wrongDataLength(expected: 7, actual: 5)),
        ("82 01000000 00 00 000080 00", .invalidField(name: "bProtocolNum", offset: 9, value: 0x80)),
        ("84 00000000 00 00 000000", .wrongDataLength(expected: 8, actual: 0)),
    ]) func `a malformed answer is refused with its place`(text: String, error: CCIDMessageError) {
        #expect(throws: error) { try CCIDResponseMessage(bytes: hex(text)) }
    }

    @Test(arguments: [
        ("6F000000", CCIDMessageError.tooShort(4)),
        ("6F 02000000 00 00 000000", .wrongLength(claimed: 2, actual: 0)),
        ("60 00000000 00 00 000000", .unknownType(0x60)),
        ("62 00000000 00 00 040000", .invalidField(name: "bPowerSelect", offset: 7, value: 4)),
        ("6F 00000000 00 00 000400", .invalidField(name: "wLevelParameter", offset: 8, value: 4)),
        ("71 00000000 00 00 000000", .invalidField(name: "bFunction", offset: 7, value: 0)),
        ("65 01000000 00 00 000000 00", .wrongDataLength(expected: 0, actual: 1)),
        ("61 05000000 00 00 020000 1100000A00", .invalidField(name: "bProtocolNum", offset: 9, value: 2)),
        ("73 07000000 00 00 000000 A00F0000802500", .wrongDataLength(expected: 8, actual: 7)),
    ]) func `a malformed command is refused with its place`(text: String, error: CCIDMessageError) {
        #expect(throws: error) { try CCIDCommandMessage(bytes: hex(text)) }
    }

    @Test func `notifications are read and written`() throws {
        let here = CCIDNotification.SlotChange(isPresent: true, hasChanged: true)
        let gone = CCIDNotification.SlotChange(isPresent: false, hasChanged: true)
        let quiet = CCIDNotification.SlotChange(isPresent: false, hasChanged: false)
        #expect(try CCIDNotification(bytes: hex("5003")) == .slotChange([here, quiet, quiet, quiet]))
        #expect(
            try CCIDNotification(bytes: hex("504E01"))
                == .slotChange([
                    gone, here, quiet, .init(isPresent: true, hasChanged: false),
                    .init(isPresent: true, hasChanged: false), quiet, quiet, quiet,
                ]))
        #expect(CCIDNotification.slotChange([gone, here]).bytes == hex("500E"))
        let fault = CCIDNotification.hardwareError(slot: 1, sequence: 9, code: 1)
        #expect(fault.bytes == hex("51010901"))
        #expect(try CCIDNotification(bytes: hex("51010901")) == fault)
    }

    @Test(arguments: [
        ("", CCIDMessageError.tooShort(0)), ("50", .tooShort(1)), ("5200", .unknownType(0x52)),
        ("510000", .wrongDataLength(expected: 3, actual: 2)),
    ]) func `a malformed notification is refused`(text: String, error: CCIDMessageError) {
        #expect(throws: error) { try CCIDNotification(bytes: hex(text)) }
    }

    @Test func `whatever the bytes, reading a message ends, and what was read survives writing`() throws {
        var dice = Dice(state: 2)
        for (_, text) in Self.commands {
            for bytes in dice.mutations(of: hex(text), count: 200) {
                guard let message = try? CCIDCommandMessage(bytes: bytes) else { continue }
                #expect(try CCIDCommandMessage(bytes: message.bytes) == message)
            }
        }
        for (_, _, text) in Self.responses {
            for bytes in dice.mutations(of: hex(text), count: 200) {
                guard let message = try? CCIDResponseMessage(bytes: bytes) else { continue }
                #expect(try CCIDResponseMessage(bytes: message.bytes) == message)
            }
        }
        for bytes in dice.mutations(of: hex("504E01"), count: 500) + dice.mutations(of: hex("51010901"), count: 500) {
            guard let notification = try? CCIDNotification(bytes: bytes) else { continue }
            #expect(try CCIDNotification(bytes: notification.bytes) == notification)
        }
    }

    @Test func `a message tells no content`() {
        let pin = CCIDCommand.transferBlock(hex("0020008008241234FFFFFFFFFF"))
        #expect("\(pin)" == "transferBlock of 13 bytes")
        #expect("\(CCIDResponse.dataBlock(hex("5A089000")))" == "dataBlock of 4 bytes")
    }
}
