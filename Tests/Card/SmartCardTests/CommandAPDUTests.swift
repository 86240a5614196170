import SmartCard
import Testing

struct CommandAPDUTests {
    // EMV Book 1 §9.4.1: a command is a header with or without data and expected length, in four cases
    @Test(
        arguments: [
            (bytes("0084 0000"), 0, nil),
            (bytes("0084 0000 08"), 0, 8),
            (bytes("0084 0000 00"), 0, 256),
            (bytes("0020 0080 08 2412345FFFFFFFFF"), 8, nil),
            (bytes("00A4 0400 07 A0000000031010 00"), 7, 256),
            (bytes("00B0 0000 00 0000"), 0, 65_536),
            (bytes("00B0 0000 00 0101"), 0, 257),
            (bytes("00D6 0000 00 0100") + Array(repeating: 0xAB, count: 256), 256, nil),
            (bytes("00CB 3FFF 00 0100") + Array(repeating: 0xAB, count: 256) + bytes("0000"), 256, 65_536),
            (bytes("00CB 3FFF 00 0100") + Array(repeating: 0xAB, count: 256) + bytes("0005"), 256, 5),
        ] as [([UInt8], Int, Int?)])
    func `all four cases, short and extended, are read and written alike`(
        encoded: [UInt8], dataCount: Int, expectedLength: Int?
    ) throws {
        let command = try CommandAPDU(bytes: encoded)
        #expect(command.data.count == dataCount)
        #expect(command.expectedLength == expectedLength)
        #expect(command.bytes == encoded)
    }

    @Test func `short content in the extended form is read, and written short`() throws {
        let command = try CommandAPDU(bytes: bytes("00A4 0400 00 0002 3F00 0010"))
        #expect(command.data == [0x3F, 0x00])
        #expect(command.expectedLength == 16)
        #expect(command.bytes == bytes("00A4 0400 02 3F00 10"))
    }

    @Test(arguments: [
        ("", APDUError.commandTooShort(0)), ("00A404", .commandTooShort(3)),
        ("00A4 0400 07 A0", .inconsistentLength(6)), ("00A4 0400 01 A0 00 00", .inconsistentLength(8)),
        ("00A4 0400 00 01", .inconsistentLength(6)), ("00A4 0400 00 0000 00", .inconsistentLength(8)),
        ("00A4 0400 00 0001 AA 00", .inconsistentLength(9)),
    ])
    func `lengths that do not fit are refused`(text: String, error: APDUError) {
        #expect(throws: error) { try CommandAPDU(bytes: bytes(text)) }
    }

    @Test func `data and expected lengths have limits`() throws {
        let long: [UInt8] = Array(repeating: 0, count: 65_536)
        #expect(throws: APDUError.dataTooLong(65_536)) {
            try CommandAPDU(cla: 0, ins: 0xD6, p1: 0, p2: 0, data: long, expectedLength: nil)
        }
        for length in [0, 65_537, -1] {
            #expect(throws: APDUError.invalidExpectedLength(length)) {
                try CommandAPDU(cla: 0, ins: 0xB0, p1: 0, p2: 0, data: [], expectedLength: length)
            }
        }
    }

    // EMV Book 1 §9.4.2: a response is data, if any, and two status bytes
    @Test func `a response is data and status`() throws {
        let response = try ResponseAPDU(bytes: bytes("6F00 6283"))
        #expect(response.data == [0x6F, 0x00])
        #expect(response.status == .selectedFileInvalidated)
        #expect(response.status.isWarning)
        #expect(response.bytes == bytes("6F006283"))
        #expect(response.status.description == "6283")
        #expect(StatusWord(rawValue: 0x12).description == "0012")
        #expect(throws: APDUError.responseTooShort(1)) { try ResponseAPDU(bytes: [0x90]) }
        #expect(throws: APDUError.responseTooLong(65_539)) {
            try ResponseAPDU(bytes: Array(repeating: 0, count: 65_539))
        }
    }

    @Test func `any command survives writing and reading`() throws {
        var chance = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let count = [0, 1, 255, 256, chance.number(0...600)].randomElement(using: &chance) ?? 0
            let expected = [nil, 1, 256, 257, 65_536, chance.number(1...65_536)].randomElement(using: &chance) ?? nil
            let command = try CommandAPDU(
                cla: 0x80, ins: 0xAE, p1: 0x40, p2: 0, data: chance.bytes(count), expectedLength: expected)
            #expect(try CommandAPDU(bytes: command.bytes) == command)
        }
    }

    @Test func `no bytes crash the reader`() {
        var chance = SeededGenerator(seed: 2)
        for _ in 0..<3000 {
            var random = chance.bytes(chance.number(0...20))
            if random.count > 4, chance.chance(50) { random[4] = 0 }
            if let command = try? CommandAPDU(bytes: random) {
                #expect((try? CommandAPDU(bytes: command.bytes)) == command)
            }
        }
    }
}
