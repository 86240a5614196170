import Testing

@testable import Simulator

/// The card of these tests answers by the instruction: A4 takes data and gives it back in reverse, B0 gives P2 bytes, 20
/// takes data and gives none.
struct ServedCardTests {
    private func card(_ answerToReset: [UInt8] = ScriptedCard.t0) -> (served: ServedCard, card: ScriptedCard) {
        let scripted = ScriptedCard(answerToReset)
        var served = ServedCard(scripted)
        _ = served.reset()
        return (served, scripted)
    }

    @Test func `a T=0 card announces the answer to a command with data, and GET RESPONSE fetches it`() {
        for le in ["", "00"] {
            var (served, _) = card()
            #expect(served.exchange(hex("00A40400 03 010203" + le)).bytes == hex("6103"))
            #expect(served.exchange(hex("00C0000003")).bytes == hex("030201 9000"))
        }
    }

    @Test func `a T=0 card says the length that was meant, and works once`() {
        var (served, scripted) = card()
        #expect(served.exchange(hex("00B0000400")).bytes == hex("6C04"))
        #expect(served.exchange(hex("00B0000404")).bytes == hex("00010203 9000"))
        #expect(scripted.events.filter { $0 == .command(0xB0) }.count == 1)
    }

    @Test func `a T=0 card takes a command of a header alone`() {
        var (served, _) = card()
        #expect(served.exchange(hex("00200080")).bytes == hex("9000"))
        #expect(served.exchange(hex("00200080 02 1234")).bytes == hex("9000"))
    }

    @Test(arguments: [
        "00", "00A404", "00A4040003", "00A40400 03 0102", "00A40400 03 010203 0000", "00A40400 00 0001 01",
    ])
    func `bytes that are no T=0 command do no harm`(text: String) {
        var (served, scripted) = card()
        let answer = served.exchange(hex(text)).bytes
        // A header that promises data keeps the card waiting for it, as it would on the wire.
        #expect(answer == (text == "00A4040003" ? [] : hex("6700")))
        #expect(!scripted.events.contains(.command(0xA4)))
    }

    @Test(arguments: ["0060000000", "009F000000"])
    func `an instruction that T=0 takes for a status is refused`(text: String) {
        var (served, _) = card()
        #expect(served.exchange(hex(text)).bytes == hex("6D00"))
    }

    @Test func `a T=1 card takes whole commands and gives whole answers`() {
        var (served, _) = card(ScriptedCard.t1)
        #expect(served.exchange(hex("00A40400 03 010203 00")).bytes == hex("030201 9000"))
        #expect(served.exchange(hex("00B0000400")).bytes == hex("00010203 9000"))
        // Longer than a block either way.
        let data = (0..<200).map { UInt8($0) }
        #expect(served.exchange(hex("00A40400 C8") + data + [0]).bytes == data.reversed() + hex("9000"))
        #expect(served.exchange(hex("00A4040003")).bytes == hex("9000"))
    }

    @Test(arguments: [ScriptedCard.t0, ScriptedCard.t1])
    func `the time that the card takes is told, and a mute card answers nothing`(answerToReset: [UInt8]) {
        var (served, _) = card(answerToReset)
        let answer = served.exchange(hex("00E00700"))
        #expect(answer.bytes == hex("9000"))
        #expect(answer.after >= .seconds(7) && answer.after < .seconds(8))
        #expect(served.exchange(hex("00EE0000")).bytes == [])
        _ = served.reset()
        #expect(served.exchange(hex("00200000")).bytes == hex("9000"))
    }

    @Test func `power and reset reach the card, and asking for the answer to reset does not`() {
        let scripted = ScriptedCard(ScriptedCard.t0)
        var served = ServedCard(scripted)
        // Nobody knows it yet, so the card is asked once and has no power afterwards.
        #expect(served.answerToReset() == ScriptedCard.t0)
        #expect(served.answerToReset() == ScriptedCard.t0)
        #expect(!served.isPowered)
        #expect(served.exchange(hex("00200000")).bytes == [])
        #expect(served.reset() == ScriptedCard.t0)
        #expect(served.reset() == ScriptedCard.t0)
        #expect(served.answerToReset() == ScriptedCard.t0)
        served.powerOff()
        #expect(served.answerToReset() == ScriptedCard.t0)
        #expect(scripted.events == [.coldReset, .powerOff, .coldReset, .warmReset, .powerOff])
    }

    @Test func `any bytes at all leave the card usable after a reset`() {
        let noise = Noise(seed: 22)
        for answerToReset in [ScriptedCard.t0, ScriptedCard.t1] {
            var (served, _) = card(answerToReset)
            for _ in 0..<500 {
                _ = served.exchange(noise.mutated(hex("00A40400 07 A0000000031010 00")))
                _ = served.exchange(noise.bytes(20))
            }
            _ = served.reset()
            #expect(served.exchange(hex("00200080 02 1234")).bytes == hex("9000"))
        }
    }
}
