import SmartCard
import Testing

struct T1CardSideTests {
    private func block(_ kind: T1Block.Kind, _ information: String = "") -> [UInt8] {
        T1Block(kind, information: bytes(information)).encoded(.lrc)
    }

    private func makeCard(size: UInt8 = 32) -> T1CardSide {
        T1CardSide(informationFieldSize: size, errorDetection: .lrc)
    }

    @Test func `a command is processed and answered`() {
        var card = makeCard()
        #expect(card.received(bytes("00C101FE3E")) == .send(bytes("00E101FE1E")))
        #expect(card.received(bytes("000005008400000889")) == .process(bytes("0084000008")))
        #expect(card.respond(bytes("AA9000")) == block(.information(sequence: 0, more: false), "AA9000"))
        #expect(card.received(block(.information(sequence: 1, more: false), "0044")) == .process(bytes("0044")))
        #expect(card.respond(bytes("9000")) == block(.information(sequence: 1, more: false), "9000"))
    }

    @Test func `a repeated command is not run again`() {
        var card = makeCard()
        let command = bytes("000005008400000889")
        #expect(card.received(command) == .process(bytes("0084000008")))
        let answer = card.respond(bytes("9000"))
        #expect(card.received(command) == .send(answer))
        #expect(card.received(bytes("00800080")) == .send(answer))
    }

    @Test func `chains go both ways, with the IFS of each side`() {
        var card = makeCard(size: 2)
        _ = card.received(bytes("00C10101C1"))
        #expect(card.received(block(.information(sequence: 0, more: true), "0102")) == .send(bytes("00900090")))
        #expect(card.received(block(.information(sequence: 0, more: true), "0102")) == .send(bytes("00900090")))
        #expect(card.received(block(.information(sequence: 1, more: false), "03")) == .process(bytes("010203")))
        #expect(card.respond(bytes("AABB")) == block(.information(sequence: 0, more: true), "AA"))
        #expect(card.received(bytes("00800080")) == .send(block(.information(sequence: 0, more: true), "AA")))
        #expect(card.received(bytes("00900090")) == .send(block(.information(sequence: 1, more: false), "BB")))
    }

    @Test func `a field longer than the IFSC is refused`() {
        var card = makeCard(size: 2)
        #expect(card.received(block(.information(sequence: 0, more: false), "010203")) == .send(bytes("00820082")))
    }

    // EMV Book 1 §9.2.5: a block with a wrong check is answered with an R-block that says so
    @Test func `damaged blocks are asked for again`() {
        var card = makeCard()
        #expect(card.received(bytes("000005008400000888")) == .send(bytes("00810081")))
        #expect(card.received(bytes("0000")) == .send(bytes("00820082")))
        #expect(card.received(bytes("000005008400000889")) == .process(bytes("0084000008")))
    }

    // EMV Book 1 §9.2.4: S(WTX) asks for more time until it is granted
    @Test func `more time is asked for until it is granted`() {
        var card = makeCard()
        _ = card.received(bytes("000005008400000889"))
        let request = card.requestWaitingTimeExtension(5)
        #expect(request == bytes("00C30105C7"))
        #expect(card.received(bytes("00810081")) == .send(request))
        #expect(card.received(bytes("00E30104E6")) == .send(request))
        #expect(card.received(bytes("000005008400000889")) == .send(request))
        #expect(card.received(bytes("00E30105E7")) == .resume)
        #expect(card.requestWaitingTimeExtension(0) == bytes("00C30101C3"))
        #expect(card.received(bytes("00E30101E3")) == .resume)
        #expect(card.respond(bytes("9000")) == bytes("000002900092"))
    }

    @Test func `resynchronization forgets numbers and half a command`() {
        var card = makeCard()
        _ = card.received(block(.information(sequence: 0, more: true), "0102"))
        #expect(card.received(bytes("00C000C0")) == .send(bytes("00E000E0")))
        #expect(card.received(bytes("000005008400000889")) == .process(bytes("0084000008")))
    }

    @Test func `an abort forgets the chain`() {
        var card = makeCard()
        _ = card.received(block(.information(sequence: 0, more: true), "0102"))
        #expect(card.received(bytes("00C200C2")) == .send(bytes("00E200E2")))
        #expect(card.received(block(.information(sequence: 1, more: false), "0044")) == .process(bytes("0044")))
    }

    @Test func `an answer without a question is an R-block`() {
        var card = makeCard()
        #expect(card.respond(bytes("9000")) == bytes("00820082"))
        #expect(card.requestWaitingTimeExtension(1) == bytes("00820082"))
    }

    @Test func `no blocks crash the card`() {
        var chance = SeededGenerator(seed: 9)
        var card = makeCard()
        for _ in 0..<5000 {
            let kinds: [T1Block.Kind] = [
                .information(sequence: UInt8(chance.number(0...1)), more: chance.chance(30)),
                .receiveReady(expecting: UInt8(chance.number(0...1)), .otherError), .request(.resynchronization),
                .request(.informationFieldSize), .request(.abort), .response(.waitingTimeExtension),
                .request(.waitingTimeExtension),
            ]
            let kind = kinds.randomElement(using: &chance) ?? .request(.abort)
            let input = T1Block(kind, information: chance.bytes(chance.number(0...3))).encoded(.lrc)
            switch card.received(chance.chance(10) ? chance.mutated(input) : input) {
            case .send(let block): #expect((try? T1Block(block, errorDetection: .lrc)) != nil)
            case .process, .resume:
                _ =
                    chance.chance(30)
                    ? card.requestWaitingTimeExtension(3) : card.respond(chance.bytes(chance.number(0...100)))
            }
        }
    }
}
