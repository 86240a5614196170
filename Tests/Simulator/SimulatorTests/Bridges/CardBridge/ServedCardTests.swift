import Testing

@testable import Simulator

/// The card of these tests answers by the instruction: A4 takes data and gives it back in reverse, B0 gives P2 bytes,
/// 20 takes data and gives none.
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

    @Test func `a T=0 card reports the correct length, and processes the command once`() {
        var (served, scripted) = card()
        #expect(served.exchange(hex("00B0000400")).bytes == hex("6C04"))
        #expect(served.exchange(hex("00B0000404")).bytes == hex("00010203 9000"))
        #expect(scripted.events.filter { $0 == .command(0xB0) }.count == 1)
    }

    @Test func `a T=0 card accepts a command of only a header`() {
        var (served, _) = card()
        #expect(served.exchange(hex("00200080")).bytes == hex("9000"))
        #expect(served.exchange(hex("00200080 02 1234")).bytes == hex("9000"))
    }

    @Test(arguments: [
        "00", "00A404", "00A4040003", "00A40400 03 0102", "00A40400 03 010203 0000", "00A40400 00 0001 01",
    ])
    func `bytes that are not a T=0 command are harmless`(text: String) {
        var (served, scripted) = card()
        let answer = served.exchange(hex(text)).bytes
        // A header that promises data keeps the card waiting for it, as it would on the wire.
        #expect(answer == (text == "00A4040003" ? [] : hex("6700")))
        #expect(!scripted.events.contains(.command(0xA4)))
    }

    @Test(arguments: ["0060000000", "009F000000"])
    func `an instruction that looks like a status byte in T=0 is rejected`(text: String) {
        var (served, _) = card()
        #expect(served.exchange(hex(text)).bytes == hex("6D00"))
    }

    @Test func `a T=1 card exchanges whole commands and responses`() {
        var (served, _) = card(ScriptedCard.t1)
        #expect(served.exchange(hex("00A40400 03 010203 00")).bytes == hex("030201 9000"))
        #expect(served.exchange(hex("00B0000400")).bytes == hex("00010203 9000"))
        // Longer than a block either way.
        let data = (0..<200).map { UInt8($0) }
        #expect(served.exchange(hex("00A40400 C8") + data + [0]).bytes == data.reversed() + hex("9000"))
        #expect(served.exchange(hex("00A4040003")).bytes == hex("9000"))
    }

    @Test(arguments: [ScriptedCard.t0, ScriptedCard.t1])
    func `the card's processing time is reported, and a mute card does not respond`(answerToReset: [UInt8]) {
        var (served, _) = card(answerToReset)
        let answer = served.exchange(hex("00E00700"))
        #expect(answer.bytes == hex("9000"))
        #expect(answer.after >= .seconds(7) && answer.after < .seconds(8))
        #expect(served.exchange(hex("00EE0000")).bytes == [])
        _ = served.reset()
        #expect(served.exchange(hex("00200000")).bytes == hex("9000"))
    }

    @Test func `power and reset reach the card, a request for the ATR does not`() {
        let scripted = ScriptedCard(ScriptedCard.t0)
        var served = ServedCard(scripted)
        // It is not known yet, so the card is queried once and has no power afterward.
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

    @Test func `after any bytes the card works again after a reset`() {
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
