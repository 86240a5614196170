import Testing

@testable import SmartCard

struct T1BlockTests {
    // EMV Book 1 §9.2.4.1: a block is NAD, PCB, LEN, information field and check, of kinds I, R and S
    @Test(arguments: [
        ("00C101FE3E", T1Block.Kind.request(.informationFieldSize), "FE"),
        ("00E101FE1E", .response(.informationFieldSize), "FE"),
        ("000005008400000889", .information(sequence: 0, more: false), "0084000008"),
        ("00400290 00D2", .information(sequence: 1, more: false), "9000"),
        ("002001AA8B", .information(sequence: 0, more: true), "AA"),
        ("00800080", .receiveReady(expecting: 0, .correct), ""),
        ("00910091", .receiveReady(expecting: 1, .checkError), ""),
        ("00920092", .receiveReady(expecting: 1, .otherError), ""),
        ("00C000C0", .request(.resynchronization), ""), ("00E000E0", .response(.resynchronization), ""),
        ("00C200C2", .request(.abort), ""), ("00E200E2", .response(.abort), ""),
        ("00C30105C7", .request(.waitingTimeExtension), "05"), ("00E30105E7", .response(.waitingTimeExtension), "05"),
    ])
    func `blocks are read and written`(text: String, kind: T1Block.Kind, information: String) throws {
        let block = try T1Block(bytes(text), errorDetection: .lrc)
        #expect(block.kind == kind)
        #expect(block.information == bytes(information))
        #expect(T1Block(kind, information: bytes(information)).encoded(.lrc) == bytes(text))
    }

    @Test func `the CRC is the one of ISO 13239`() throws {
        // The check value of CRC-16/X-25 is 906E for the digits 1 to 9; here they are prologue and field.
        let block = T1Block(nad: 0x31, pcb: 0x32, information: [])
        #expect(block.encoded(.crc).count == 5)
        let digits = Array("123456789".utf8)
        #expect(T1Block.crc(digits) == [0x6E, 0x90])
        let whole = T1Block(.information(sequence: 1, more: true), information: digits).encoded(.crc)
        #expect(try T1Block(whole, errorDetection: .crc).information == digits)
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x10
            #expect(throws: T1BlockError.self) { try T1Block(damaged, errorDetection: .crc) }
        }
    }

    // EMV Book 1 §9.2.4.1.1: the node address is 00, and the control byte one of those that are defined
    @Test(arguments: [
        ("", T1BlockError.tooShort(0)), ("000000", .tooShort(3)), ("00000100", .wrongLength(announced: 1, actual: 0)),
        ("0000000000", .wrongLength(announced: 0, actual: 1)), ("00800081", .wrongCheck),
        ("12800092", .unsupportedNodeAddress(0x12)), ("00010001", .invalidControlByte(0x01)),
        ("00A000A0", .invalidControlByte(0xA0)), ("00830083", .invalidControlByte(0x83)),
        ("00C400C4", .invalidControlByte(0xC4)), ("00800100 81", .invalidInformation(controlByte: 0x80, count: 1)),
        ("00C100C1", .invalidInformation(controlByte: 0xC1, count: 0)),
        ("00C10100C0", .invalidInformation(controlByte: 0xC1, count: 1)),
        ("00C101FF3F", .invalidInformation(controlByte: 0xC1, count: 1)),
        ("00C30100C2", .invalidInformation(controlByte: 0xC3, count: 1)),
        ("00200020", .invalidInformation(controlByte: 0x20, count: 0)),
    ])
    func `an invalid block is reported with the reason`(text: String, error: T1BlockError) {
        #expect(throws: error) { try T1Block(bytes(text), errorDetection: .lrc) }
    }

    // EMV Book 1 §9.2.4.1.1: LEN FF is kept for future use
    @Test func `LEN FF is reserved`() {
        var long = [0, 0, 0xFF] + Array(repeating: 0 as UInt8, count: 255)
        long.append(0xFF)
        #expect(throws: T1BlockError.reservedLength) { try T1Block(long, errorDetection: .lrc) }
    }

    @Test func `no bytes crash the reader`() {
        var chance = SeededGenerator(seed: 7)
        for round in 0..<3000 {
            var input = chance.bytes(chance.number(0...12))
            if input.count > 3, round % 2 == 0 {
                input[0] = 0
                input[2] = UInt8(input.count - 4)
                input[input.count - 1] = input.dropLast().reduce(0, ^)
            }
            for detection in [T1Block.ErrorDetection.lrc, .crc] {
                guard let block = try? T1Block(input, errorDetection: detection) else { continue }
                #expect(block.encoded(detection) == input)
                #expect(block.kind != nil)
            }
        }
    }
}
