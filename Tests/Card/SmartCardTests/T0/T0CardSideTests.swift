import SmartCard
import Testing

struct T0CardSideTests {
    private static func makeCard() -> T0CardSide {
        T0CardSide { header in [0xA4, 0xA8, 0xAE, 0x20].contains(header[1]) }
    }

    // EMV Book 1 §9.3.1: the card announces the answer of a case 4 command with 61xx
    @Test func `data is requested and the response announced`() throws {
        var card = Self.makeCard()
        #expect(card.received(bytes("00A4")) == .awaitMore)
        #expect(card.received(bytes("040002")) == .send([0xA4]))
        #expect(card.received([0xA0]) == .awaitMore)
        #expect(card.received([0x00]) == .process(try CommandAPDU(bytes: bytes("00A4040002A000"))))
        #expect(card.respond(ResponseAPDU(data: [0x6F, 0x00], status: .success)) == bytes("6102"))
        #expect(card.received(bytes("00C0000002")) == .send(bytes("C06F009000")))
        #expect(card.received(bytes("00C0000002")) == .send(bytes("6F00")))
    }

    // EMV Book 1 §9.3.1: the card answers a wrong length with 6Cxx, and the command that follows gets the same answer
    @Test func `a wrong length is answered by the right one, and the command is not run twice`() {
        var card = Self.makeCard()
        #expect(card.received(bytes("00B2010C00")) == .process(CommandAPDU(0, 0xB2, 1, 0x0C, le: 0)))
        #expect(card.respond(ResponseAPDU(data: [1, 2, 3], status: .success)) == bytes("6C03"))
        #expect(card.received(bytes("00B2010C04")) == .send(bytes("6C03")))
        #expect(card.received(bytes("00B2010C03")) == .send(bytes("B20102039000")))
        #expect(card.received(bytes("00B2010C03")) == .process(CommandAPDU(0, 0xB2, 1, 0x0C, le: 3)))
        #expect(card.respond(ResponseAPDU(data: [1, 2, 3], status: .success)) == bytes("B20102039000"))
    }

    @Test func `another command discards the kept response`() throws {
        var card = Self.makeCard()
        _ = card.received(bytes("00B2010C00"))
        _ = card.respond(ResponseAPDU(data: [1, 2, 3], status: .success))
        #expect(card.received(bytes("00B2020C03")) == .process(CommandAPDU(0, 0xB2, 2, 0x0C, le: 3)))
        #expect(card.respond(ResponseAPDU(status: .recordNotFound)) == bytes("6A83"))
        #expect(card.received(bytes("00C0000003")) == .send(bytes("6F00")))
    }

    // EMV Book 1 §9.3.1: after a warning the data of a case 4 command are fetched with GET RESPONSE
    @Test func `a warning is sent at once, its data on demand`() {
        var card = Self.makeCard()
        _ = card.received(bytes("00A4040001"))
        _ = card.received([0xA0])
        let response = ResponseAPDU(data: [0x6F, 0x00], status: .selectedFileInvalidated)
        #expect(card.respond(response) == bytes("6283"))
        #expect(card.received(bytes("00C0000000")) == .send(bytes("6C02")))
        #expect(card.received(bytes("00C0000002")) == .send(bytes("C06F006283")))
    }

    @Test func `a warning without data is the command's status also after GET RESPONSE`() {
        var card = Self.makeCard()
        _ = card.received(bytes("00A4040001"))
        _ = card.received([0xA0])
        #expect(card.respond(ResponseAPDU(status: .selectedFileInvalidated)) == bytes("6283"))
        #expect(card.received(bytes("00C0000000")) == .send(bytes("6283")))
        #expect(card.received(bytes("00C0000000")) == .send(bytes("6F00")))
    }

    @Test func `GET RESPONSE may take pieces`() {
        var card = Self.makeCard()
        _ = card.received(bytes("80A8000002"))
        _ = card.received(bytes("8300"))
        #expect(card.respond(ResponseAPDU(data: [1, 2, 3], status: .success)) == bytes("6103"))
        #expect(card.received(bytes("00C0000002")) == .send(bytes("C001026101")))
        #expect(card.received(bytes("00C0000001")) == .send(bytes("C0039000")))
    }

    @Test func `an error carries no data`() {
        var card = Self.makeCard()
        _ = card.received(bytes("00B2010C00"))
        #expect(card.respond(ResponseAPDU(data: [1], status: .recordNotFound)) == bytes("6A83"))
        #expect(card.received(bytes("00B2010C01")) == .process(CommandAPDU(0, 0xB2, 1, 0x0C, le: 1)))
    }

    @Test func `unexpected bytes get a response, never a trap`() {
        var card = Self.makeCard()
        #expect(card.respond(ResponseAPDU(status: .success)) == bytes("6F00"))
        #expect(card.received(bytes("00C0000000")) == .send(bytes("6F00")))
        #expect(card.received(bytes("0061000000")) == .send(bytes("6D00")))
        #expect(card.received(bytes("00A4040001A0")) == .send(bytes("6F00")))
        #expect(card.received(bytes("00A4040001")) == .send([0xA4]))
        #expect(card.received(bytes("A0A1")) == .send(bytes("6F00")))
        #expect(card.received(bytes("0084000008")) == .process(CommandAPDU(0, 0x84, 0, 0, le: 8)))
        #expect(card.received(bytes("0084000008")) == .send(bytes("6F00")))
        var chance = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            let instruction = bytes("A4B284C0A860").randomElement(using: &chance) ?? 0
            var step = card.received([0, instruction, 0, 0, UInt8(chance.number(0...5))])
            if chance.chance(30) { step = card.received(chance.bytes(chance.number(0...9))) }
            if case .process = step, chance.chance(80) {
                _ = card.respond(ResponseAPDU(data: chance.bytes(chance.number(0...600)), status: .success))
            }
        }
    }

    // EMV Book 1 §9.3.1: every case of command gets its whole answer by T=0
    /// Command mapper, byte exchange and card, one behind the other.
    @Test func `every command gets its response through the whole line, and is run once`() throws {
        var chance = SeededGenerator(seed: 6)
        var card = Self.makeCard()
        for _ in 0..<400 {
            let sendsData = chance.chance(50)
            let data = sendsData ? chance.bytes(chance.number(1...255)) : []
            let answerCount = chance.number(0...256)
            let answer = answerCount == 0 ? [] : chance.bytes(answerCount)
            let status =
                [StatusWord.success, .selectedFileInvalidated, .fileNotFound].randomElement(using: &chance) ?? .success
            let wanted = answerCount == 0 ? 256 : [256, answerCount].randomElement(using: &chance) ?? 256
            let command = try CommandAPDU(
                cla: 0, ins: sendsData ? 0xA8 : 0xB2, p1: 1, p2: 2, data: data, expectedLength: wanted)
            var runs = 0
            func cardAnswer(_ bytes: [UInt8]) -> [UInt8] {
                switch card.received(bytes) {
                case .send(let answer): return answer
                case .awaitMore: return []
                case .process(let received):
                    runs += 1
                    #expect(received.data == data)
                    return card.respond(ResponseAPDU(data: answer, status: status))
                }
            }
            var mapper = try T0CommandMapper(command)
            var step = mapper.start()
            while case .exchange(let tpdu) = step {
                var exchange = try T0TPDUExchange(tpdu: tpdu)
                var line: [UInt8] = []
                var exchangeStep = exchange.start()
                loop: while true {
                    switch exchangeStep {
                    case .transmit(let bytes):
                        line = cardAnswer(bytes)
                        if line.isEmpty { break loop }
                        exchangeStep = try exchange.received([line.removeFirst()])
                    case .receive(let count):
                        let taken = Array(line.prefix(chance.number(1...count)))
                        try #require(!taken.isEmpty)
                        line.removeFirst(taken.count)
                        exchangeStep = try exchange.received(taken)
                    case .complete(let answer):
                        #expect(line.isEmpty)
                        step = try mapper.received(answer)
                        break loop
                    }
                }
            }
            guard case .complete(let response) = step else { continue }
            #expect(runs == 1)
            #expect(response == ResponseAPDU(data: status == .fileNotFound ? [] : answer, status: status))
        }
    }
}
