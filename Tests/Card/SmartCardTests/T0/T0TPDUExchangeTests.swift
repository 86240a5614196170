import SmartCard
import Testing

struct T0TPDUExchangeTests {
    // EMV Book 1 §9.2.2: the terminal sends a header of five bytes and waits for a procedure byte
    @Test func `case 1 is header and status`() throws {
        var exchange = try T0TPDUExchange(tpdu: bytes("0044000000"))
        #expect(exchange.start() == .transmit(bytes("0044000000")))
        #expect(try exchange.received([0x90]) == .receive(count: 1))
        #expect(try exchange.received([0x00]) == .complete(bytes("9000")))
    }

    // EMV Book 1 §9.2.2: a procedure byte equal to INS moves all data, its complement the next byte alone
    // EMV Book 1 §9.2.2: procedure byte 60 grants the card more time
    @Test func `the instruction asks for all data, its complement for one byte`() throws {
        var exchange = try T0TPDUExchange(tpdu: bytes("0020008003 010203"))
        #expect(exchange.start() == .transmit(bytes("0020008003")))
        #expect(try exchange.received([0xDF]) == .transmit([0x01]))
        #expect(try exchange.received([0x60]) == .receive(count: 1))
        #expect(try exchange.received([0x20]) == .transmit([0x02, 0x03]))
        #expect(try exchange.received([0x90]) == .receive(count: 1))
        #expect(try exchange.received([0x00]) == .complete(bytes("9000")))
    }

    @Test func `response data comes at once, byte by byte, or in a mixture`() throws {
        var exchange = try T0TPDUExchange(tpdu: bytes("0084000004"))
        _ = exchange.start()
        #expect(try exchange.received([0x7B]) == .receive(count: 1))
        #expect(try exchange.received([0xA1]) == .receive(count: 1))
        #expect(try exchange.received([0x60]) == .receive(count: 1))
        #expect(try exchange.received([0x84]) == .receive(count: 3))
        #expect(try exchange.received([0x60]) == .receive(count: 2))
        #expect(try exchange.received([0x90, 0x84]) == .receive(count: 1))
        #expect(try exchange.received([0x90, 0x00]) == .complete(bytes("A1609084 9000")))
    }

    // EMV Book 1 §9.2.2: P3 00 stands for 256 bytes of data from the card
    @Test func `P3 00 asks for 256 bytes`() throws {
        var exchange = try T0TPDUExchange(tpdu: bytes("00B2010C00"))
        _ = exchange.start()
        #expect(try exchange.received([0xB2]) == .receive(count: 256))
        let data: [UInt8] = Array(repeating: 0xB2, count: 256)
        #expect(try exchange.received(data) == .receive(count: 1))
        #expect(try exchange.received(bytes("9000")) == .complete(data + bytes("9000")))
    }

    // EMV Book 1 §9.2.2: a status may come in place of a procedure byte
    @Test func `a status may come before any data`() throws {
        for tpdu in ["0020008003010203", "00B2010C00"] {
            var exchange = try T0TPDUExchange(tpdu: bytes(tpdu))
            _ = exchange.start()
            #expect(try exchange.received(bytes("6A83")) == .complete(bytes("6A83")))
        }
    }

    // EMV Book 1 §9.2.2: a procedure byte without a meaning is an error
    @Test func `a procedure byte that fits nothing is an error`() throws {
        for (tpdu, answer, wrong) in [
            ("00B2010C00", "B3", 0xB3), ("00B2010C00", "00", 0x00), ("0044000001AA", "4444", 0x44),
            ("00B2010C01", "B2AAB2", 0xB2),
        ] as [(String, String, UInt8)] {
            var exchange = try T0TPDUExchange(tpdu: bytes(tpdu))
            _ = exchange.start()
            #expect(throws: T0Error.invalidProcedureByte(wrong)) {
                for byte in bytes(answer) { _ = try exchange.received([byte]) }
            }
        }
    }

    @Test func `bytes behind the status or out of turn are an error`() throws {
        var exchange = try T0TPDUExchange(tpdu: bytes("0044000000"))
        _ = exchange.start()
        #expect(throws: T0Error.answerTooLong(expected: 2, actual: 3)) { try exchange.received(bytes("900000")) }
        var sending = try T0TPDUExchange(tpdu: bytes("002000800124"))
        _ = sending.start()
        #expect(throws: T0Error.answerTooLong(expected: 1, actual: 3)) { try sending.received(bytes("209000")) }
    }

    @Test func `endless time requests of a card are aborted`() throws {
        var exchange = try T0TPDUExchange(tpdu: bytes("0044000000"))
        _ = exchange.start()
        let nulls: [UInt8] = Array(repeating: 0x60, count: T0TPDUExchange.maximumNulls)
        #expect(try exchange.received(nulls) == .receive(count: 1))
        #expect(throws: T0Error.tooManyExchanges) { try exchange.received([0x60]) }
    }

    @Test func `a TPDU has a header, and P3 bytes of data or none`() {
        for (tpdu, count) in [("00440000", 4), ("", 0), ("002000800324", 6), ("002000800024", 6)] {
            #expect(throws: T0Error.invalidTPDU(count)) { try T0TPDUExchange(tpdu: bytes(tpdu)) }
        }
        #expect(throws: T0Error.invalidInstruction(0x9A)) { try T0TPDUExchange(tpdu: bytes("009A000000")) }
    }

    @Test func `no answer crashes the exchange`() throws {
        var chance = SeededGenerator(seed: 4)
        let procedureBytes = bytes("60B24D90006C61")
        for _ in 0..<2000 {
            var exchange = try T0TPDUExchange(tpdu: bytes(chance.chance(50) ? "00B2010C04" : "00B2010C02AABB"))
            _ = exchange.start()
            for _ in 0..<20 {
                let byte = chance.chance(80) ? procedureBytes.randomElement(using: &chance) ?? 0 : chance.bytes(1)[0]
                guard let step = try? exchange.received([byte]) else { break }
                if case .complete(let answer) = step {
                    #expect((2...6).contains(answer.count))
                    break
                }
            }
        }
    }
}
