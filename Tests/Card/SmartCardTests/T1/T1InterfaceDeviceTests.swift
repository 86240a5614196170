import SmartCard
import Testing

struct T1InterfaceDeviceTests {
    private func sent(_ text: String, _ multiplier: Int = 1) -> T1InterfaceDevice.Step {
        .send(bytes(text), waitingTimeMultiplier: multiplier)
    }

    private func block(_ kind: T1Block.Kind, _ information: String = "") -> [UInt8] {
        T1Block(kind, information: bytes(information)).encoded(.lrc)
    }

    private func sent(_ kind: T1Block.Kind, _ information: String = "") -> T1InterfaceDevice.Step {
        .send(block(kind, information), waitingTimeMultiplier: 1)
    }

    private func makeDevice(size: UInt8 = 32) -> T1InterfaceDevice {
        T1InterfaceDevice(cardInformationFieldSize: size, errorDetection: .lrc)
    }

    // EMV Book 1 §9.2.4.2.1: the terminal's first block tells the card the size of field that it takes
    // EMV Book 1 §9.2.4: the send sequence numbers of I-blocks alternate
    @Test func `a session starts with the IFS and continues with alternating numbers`() {
        var device = makeDevice()
        #expect(device.negotiateInformationFieldSize(254) == sent("00C101FE3E"))
        #expect(device.received(bytes("00E101FE1E")) == .complete([]))
        #expect(device.transmit(bytes("0084000008")) == sent("000005008400000889"))
        #expect(device.received(block(.information(sequence: 0, more: false), "AA9000")) == .complete(bytes("AA9000")))
        #expect(device.transmit(bytes("00B2010C00")) == sent(.information(sequence: 1, more: false), "00B2010C00"))
        #expect(device.received(block(.information(sequence: 1, more: false), "6A83")) == .complete(bytes("6A83")))
    }

    // EMV Book 1 §9.2.4.4: a command longer than the card's field goes out in a chain, each part acknowledged
    @Test func `a long command goes out in a chain`() {
        var device = makeDevice(size: 3)
        #expect(device.transmit(bytes("0102030405060708")) == sent(.information(sequence: 0, more: true), "010203"))
        #expect(device.received(bytes("00900090")) == sent(.information(sequence: 1, more: true), "040506"))
        #expect(device.received(bytes("00800080")) == sent(.information(sequence: 0, more: false), "0708"))
        #expect(device.received(block(.information(sequence: 0, more: false), "9000")) == .complete(bytes("9000")))
    }

    // EMV Book 1 §9.2.4.4: the parts of a chained answer are acknowledged with the number of the next one
    @Test func `a long answer comes in a chain`() {
        var device = makeDevice()
        _ = device.transmit(bytes("0084000008"))
        #expect(device.received(block(.information(sequence: 0, more: true), "01")) == sent("00900090"))
        #expect(device.received(block(.information(sequence: 1, more: true), "02")) == sent("00800080"))
        #expect(device.received(block(.information(sequence: 0, more: false), "9000")) == .complete(bytes("01029000")))
    }

    // EMV Book 1 §9.2.5: a damaged block is asked for again with an R-block that names the kind of error
    @Test func `a damaged answer is asked for again, with the reason`() {
        var device = makeDevice()
        _ = device.transmit(bytes("0084000008"))
        #expect(device.received(bytes("0000029000FF")) == sent("00810081"))
        #expect(device.received(bytes("0000")) == sent("00820082"))
        #expect(device.received(bytes("000002900092")) == .complete(bytes("9000")))
    }

    // EMV Book 1 §9.2.5: an R-block that expects the block sent before has it sent again
    @Test func `the card may ask for the command again`() {
        var device = makeDevice()
        let command = device.transmit(bytes("0084000008"))
        #expect(device.received(bytes("00810081")) == command)
        #expect(device.received(bytes("000002900092")) == .complete(bytes("9000")))
    }

    // EMV Book 1 §9.2.5: after three tries without a valid block the exchange has failed
    @Test func `three tries without a block end in failure, for good`() {
        var device = makeDevice()
        _ = device.transmit(bytes("0084000008"))
        #expect(device.timedOut() == sent("00820082"))
        #expect(device.timedOut() == sent("00820082"))
        #expect(device.timedOut() == .failed(.unrecoverable))
        #expect(device.received(bytes("000002900092")) == .failed(.unrecoverable))
        #expect(device.transmit(bytes("0084000008")) == .failed(.unrecoverable))
    }

    @Test func `an interrupted chain starts again after resynchronization`() {
        var device = makeDevice(size: 2)
        _ = device.transmit(bytes("01020304"))
        _ = device.timedOut()
        _ = device.timedOut()
        #expect(device.timedOut() == sent("00C000C0"))
        #expect(device.timedOut() == sent("00C000C0"))
        #expect(device.received(bytes("00E000E0")) == sent(.information(sequence: 0, more: true), "0102"))
        #expect(device.received(bytes("00900090")) == sent(.information(sequence: 1, more: false), "0304"))
        _ = device.timedOut()
        _ = device.timedOut()
        #expect(device.timedOut() == .failed(.unrecoverable))
    }

    @Test func `the IFS negotiation survives resynchronization once`() {
        var device = makeDevice()
        _ = device.negotiateInformationFieldSize(254)
        _ = device.timedOut()
        _ = device.timedOut()
        #expect(device.timedOut() == sent("00C000C0"))
        #expect(device.received(bytes("00E000E0")) == sent("00C101FE3E"))
        _ = device.timedOut()
        _ = device.timedOut()
        #expect(device.timedOut() == .failed(.unrecoverable))
    }

    // EMV Book 1 §9.2.4: S(WTX) is answered with the same number, and the next block may take that many waiting times
    @Test func `more time is granted for one block`() {
        var device = makeDevice()
        _ = device.transmit(bytes("0084000008"))
        #expect(device.received(bytes("00C30105C7")) == sent("00E30105E7", 5))
        #expect(device.received(bytes("0000029000FF")) == sent("00810081"))
        #expect(device.received(bytes("000002900092")) == .complete(bytes("9000")))
    }

    @Test func `endless time requests of a card are aborted`() {
        var device = makeDevice()
        _ = device.transmit(bytes("0084000008"))
        for _ in 0..<T1InterfaceDevice.maximumRequests { _ = device.received(bytes("00C30101C3")) }
        #expect(device.received(bytes("00C30101C3")) == .failed(.unrecoverable))
    }

    // EMV Book 1 §9.2.4: S(IFS) of the card is confirmed and holds from the next block on
    @Test func `the card may change its IFS in the middle of a chain`() {
        var device = makeDevice(size: 2)
        _ = device.transmit(bytes("0102030405"))
        #expect(device.received(bytes("00C10103C3")) == sent("00E10103E3"))
        #expect(device.received(bytes("00900090")) == sent(.information(sequence: 1, more: false), "030405"))
        #expect(device.cardInformationFieldSize == 3)
    }

    @Test func `an abort is answered and ends the exchange`() {
        var device = makeDevice()
        _ = device.transmit(bytes("0084000008"))
        #expect(device.received(bytes("00C200C2")) == sent("00E200E2"))
        #expect(device.received(bytes("00800080")) == .failed(.aborted))
    }

    // EMV Book 1 §9.2.5: an I-block with an old sequence number is not taken for a new answer
    @Test func `an old response is not mistaken for a new one`() {
        var device = makeDevice()
        _ = device.transmit(bytes("0084000008"))
        let old = block(.information(sequence: 0, more: false), "019000")
        #expect(device.received(old) == .complete(bytes("019000")))
        _ = device.transmit(bytes("0084000008"))
        #expect(device.received(old) == sent("00920092"))
        #expect(device.received(block(.information(sequence: 1, more: false), "029000")) == .complete(bytes("029000")))
    }

    @Test func `an answer in the middle of our chain is refused`() {
        var device = makeDevice(size: 2)
        _ = device.transmit(bytes("01020304"))
        #expect(device.received(bytes("000002900092")) == sent("00820082"))
    }

    @Test func `an endless response is aborted`() {
        var device = makeDevice()
        _ = device.transmit(bytes("0084000008"))
        let information: [UInt8] = Array(repeating: 0, count: 254)
        var step = T1InterfaceDevice.Step.complete([])
        for index in 0..<259 {
            step = device.received(
                T1Block(.information(sequence: UInt8(index & 1), more: true), information: information).encoded(.lrc))
        }
        #expect(step == .failed(.answerTooLong))
    }

    @Test func `sizes that do not exist count as the nearest`() {
        var device = makeDevice(size: 0)
        #expect(device.negotiateInformationFieldSize(255) == sent("00C101FE3E"))
        #expect(device.cardInformationFieldSize == 1)
        #expect(makeDevice(size: 255).cardInformationFieldSize == 254)
    }

    @Test func `a busy or idle device fails when it is used out of turn`() {
        var busy = makeDevice()
        _ = busy.transmit([1])
        #expect(busy.transmit([2]) == .failed(.unrecoverable))
        var idle = makeDevice()
        #expect(idle.received(bytes("00800080")) == .failed(.unrecoverable))
    }

    @Test func `no blocks crash the device or keep it busy for ever`() {
        var chance = SeededGenerator(seed: 8)
        let good = [
            "00800080", "00900090", "000002900092", "00400290 00D2", "00200190B1", "00600190F1", "00C30105C7",
            "00C10120E0",
            "00C000C0", "00E000E0", "00E101FE1E", "00C200C2",
        ].map { bytes($0) }
        for _ in 0..<2000 {
            var device = makeDevice(size: 4)
            var step = chance.chance(20) ? device.negotiateInformationFieldSize(254) : device.transmit(chance.bytes(10))
            var count = 0
            while case .send = step {
                count += 1
                guard count < 80_000 else {
                    Issue.record("no end")
                    break
                }
                step =
                    chance.chance(20)
                    ? device.timedOut()
                    : device.received(chance.chance(10) ? chance.bytes(6) : good.randomElement(using: &chance) ?? [])
            }
        }
    }
}
