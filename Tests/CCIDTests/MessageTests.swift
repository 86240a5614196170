import CCID
import Testing

@Suite struct MessageTests {
    @Test func `every error code is an error of its own`() {
        for code in UInt8.min...UInt8.max { #expect(CCIDSlotError(code: code).code == code) }
        #expect(CCIDSlotError(code: 0xFE) == .cardMute)
        #expect(CCIDSlotError(code: 0x00) == .commandNotSupported)
        #expect(CCIDSlotError(code: 0x07) == .badField(offset: 7))
        #expect(CCIDSlotError(code: 0xA0) == .other(0xA0))
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

    @Test func `whatever the bytes, reading a notification ends, and what was read survives writing`() throws {
        var dice = Dice(state: 2)
        for bytes in dice.mutations(of: hex("504E01"), count: 500) + dice.mutations(of: hex("51010901"), count: 500) {
            guard let notification = try? CCIDNotification(bytes: bytes) else { continue }
            #expect(try CCIDNotification(bytes: notification.bytes) == notification)
        }
    }

    @Test func `a command tells no content`() {
        let pin = CCIDCommand.transferBlock(hex("0020008008241234FFFFFFFFFF"))
        #expect("\(pin)" == "transferBlock of 13 bytes")
    }
}
