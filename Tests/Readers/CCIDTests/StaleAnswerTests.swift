import CCID
import SmartCard
import Testing
import USB

/// Answers to other messages than the one that was sent: of a command that was given up, or of a program that had the
/// reader before. None of them is ever taken for ours.
@Suite struct StaleAnswerTests {
    private static let select = CommandAPDU(0x00, 0xA4, 0x04, 0x00, le: 0)
    private static let selectTPDU = "00A4040000"

    /// A rig whose card is powered at TPDU level in T=0; the next sequence number is 4.
    private func powered(_ script: [String]) async throws -> (Rig, CCIDCardChannel) {
        let rig = try await Rig(.tpdu, readyForT0 + script)
        return (rig, try await rig.reader.powerOn())
    }

    private static func isStale(_ step: CCIDRecoveryStep) -> Bool {
        if case .staleAnswer = step { true } else { false }
    }

    // MARK: The own answer comes after them

    @Test(arguments: [
        // Numbers behind ours and ahead of it: another program counts for itself.
        [9], [24], [2], [0xF0], [9, 24, 0x83, 0x84, 0x85], Array(repeating: 9, count: 16),
    ]) func `the own answer is waited for, however many others arrive before it`(numbers: [Int]) async throws {
        let (rig, channel) = try await powered(
            [block(4, Self.selectTPDU)] + numbers.map { answer($0, "6283") } + [
                answer(4, "6F009000"), block(5, Self.selectTPDU), answer(5, "6A82"),
            ])
        #expect(try await channel.transmit(Self.select).bytes == hex("6F009000"))
        #expect(rig.recovery.steps == numbers.map { .staleAnswer(slot: 0, message: UInt8($0)) })
        // The card is used on.
        #expect(try await channel.transmit(Self.select).status == StatusWord(0x6A, 0x82))
        await rig.expectDone()
    }

    @Test func `an answer of another slot is not ours, whatever its number`() async throws {
        let (rig, channel) = try await powered([
            block(4, Self.selectTPDU), answer(4, "6283", slot: 1), answer(4, "9000"),
        ])
        #expect(try await channel.transmit(Self.select).status == .success)
        #expect(rig.recovery.steps == [.staleAnswer(slot: 1, message: 4)])
        await rig.expectDone()
    }

    @Test func `they do not extend the timeout`() async throws {
        let (rig, channel) = try await powered([
            block(4, Self.selectTPDU), "+ 4000", answer(9, "9000"), "+ 3000", answer(10, "9000"), answer(4, "9000"),
        ])
        #expect(try await channel.transmit(Self.select).status == .success)
        #expect(rig.transport.readTimeouts.suffix(3) == [.seconds(10), .seconds(6), .seconds(3)])
        await rig.expectDone()
    }

    @Test func `a time extension of another message extends nothing`() async throws {
        let (rig, channel) = try await powered([
            block(4, Self.selectTPDU), "+ 9000", "< 80 00000000 00 09 80 FF 00", answer(4, "9000"),
        ])
        #expect(try await channel.transmit(Self.select).status == .success)
        #expect(rig.transport.readTimeouts.suffix(2) == [.seconds(10), .seconds(1)])
        await rig.expectDone()
    }

    @Test func `between two time extensions of the own command they are ignored too`() async throws {
        let (rig, channel) = try await powered([
            block(4, Self.selectTPDU), "< 80 00000000 00 04 80 02 00", "+ 15000", answer(9, "9000"),
            "< 80 00000000 00 04 80 01 00", answer(4, "9000"),
        ])
        #expect(try await channel.transmit(Self.select).status == .success)
        #expect(rig.transport.readTimeouts.suffix(4) == [.seconds(10), .seconds(20), .seconds(5), .seconds(10)])
        await rig.expectDone()
    }

    @Test func `they do not affect the state of the card`() async throws {
        let (rig, channel) = try await powered([
            block(4, Self.selectTPDU), "< 81 00000000 00 09 02 00 00", answer(4, "9000"),
            block(5, Self.selectTPDU), answer(5, "9000"),
        ])
        #expect(try await channel.transmit(Self.select).status == .success)
        #expect(try await channel.transmit(Self.select).status == .success)
        await rig.expectDone()
    }

    // MARK: It does not come

    @Test func `after the timeout the command is aborted, and the next one works`() async throws {
        let (rig, channel) = try await powered(
            [block(4, Self.selectTPDU), answer(9, "9000"), "+ 6000", answer(24, "9000"), "<! timedOut"] + abort(5)
                + status("65", 6))
        let error = CCIDError.wrongSequence(expected: 4, actual: 24)
        await #expect(throws: CardChannelError.protocolViolation(error.description)) {
            try await channel.transmit(Self.select)
        }
        #expect(rig.recovery.steps.drop(while: Self.isStale) == [.abort(slot: 0), .recovered])
        await #expect(
            throws: CardChannelError.protocolViolation("an earlier exchange with the card failed: power it on again")
        ) { try await channel.transmit(Self.select) }
        #expect(try await rig.reader.cardStatus() == .active)
        await rig.expectDone()
    }

    @Test func `the timeout can expire between two of them`() async throws {
        let (rig, channel) = try await powered(
            [block(4, Self.selectTPDU), "+ 10000", answer(9, "9000")] + abort(5))
        let error = CCIDError.wrongSequence(expected: 4, actual: 9)
        await #expect(throws: CardChannelError.protocolViolation(error.description)) {
            try await channel.transmit(Self.select)
        }
        await rig.expectDone()
    }

    @Test func `an endless stream of them times out`() async throws {
        let (rig, channel) = try await powered(
            [block(4, Self.selectTPDU)] + Array(repeating: answer(9, "9000"), count: 17) + abort(5))
        await #expect(
            throws: CardChannelError.protocolViolation(CCIDError.noEnd(.transferBlock).description)
        ) { try await channel.transmit(Self.select) }
        await rig.expectDone()
    }

    // MARK: What could be taken for ours

    @Test func `a second, different answer to a message ends the card's session`() async throws {
        // The first 9000 may have been another program's, so what came of the command is unknown.
        let (rig, channel) = try await powered(
            [
                block(4, Self.selectTPDU), answer(4, "9000"), block(5, Self.selectTPDU), answer(4, "6985"),
            ] + abort(6))
        #expect(try await channel.transmit(Self.select).status == .success)
        await #expect(throws: CardChannelError.protocolViolation(CCIDError.answeredTwice(4).description)) {
            try await channel.transmit(Self.select)
        }
        await #expect(throws: CardChannelError.self) { try await channel.transmit(Self.select) }
        await rig.expectDone()
    }

    @Test func `a repeated answer is ignored`() async throws {
        let (rig, channel) = try await powered([
            block(4, Self.selectTPDU), answer(4, "9000"), block(5, Self.selectTPDU), answer(4, "9000"),
            answer(5, "6A82"),
        ])
        #expect(try await channel.transmit(Self.select).status == .success)
        #expect(try await channel.transmit(Self.select).status == StatusWord(0x6A, 0x82))
        await rig.expectDone()
    }

    @Test func `the number of a message that may still be answered is not used again`() async throws {
        // The reader does not know the abort request, so the answer to message 1 may still arrive.
        var script = ["> 65 00000000 00 01 000000", "<! timedOut", "C! stalled 0200"] + status("72", 2)
        let numbers = (3...255) + [0] + (2...255) as [Int]
        for number in numbers { script += status("65", number) }
        script += ["> 65 00000000 00 00 000000", "< 81 00000000 00 01 02 00 00", "< 81 00000000 00 00 01 00 00"]
        // It came: the number is free.
        script += status("65", 1) + status("65", 2)
        let rig = try await Rig(.tpdu, script)
        await #expect(throws: CCIDError.timedOut(.getSlotStatus)) { try await rig.reader.cardStatus() }
        for _ in numbers { #expect(try await rig.reader.cardStatus() == .active) }
        #expect(try await rig.reader.cardStatus() == .inactive)
        for _ in 1...2 { #expect(try await rig.reader.cardStatus() == .active) }
        await rig.expectDone()
    }

    @Test func `after an abort that the reader confirmed every number is free`() async throws {
        var script = ["> 65 00000000 00 01 000000", "<! timedOut"] + abort(2)
        let numbers = (3...255) + [0, 1, 2] as [Int]
        for number in numbers { script += status("65", number) }
        let rig = try await Rig(.tpdu, script)
        await #expect(throws: CCIDError.timedOut(.getSlotStatus)) { try await rig.reader.cardStatus() }
        for _ in numbers { #expect(try await rig.reader.cardStatus() == .active) }
        await rig.expectDone()
    }

    @Test func `a reader that confirms no abort does not run out of numbers`() async throws {
        var script: [String] = []
        for number in 0..<127 {
            let (command, message) = (2 * number + 1, 2 * number + 2)
            script += ["> 65 00000000 00 \(hex([UInt8(command)])) 000000", "<! timedOut"]
            script += ["C! stalled \(hex([UInt8(message)]))00"] + status("72", message)
        }
        // The even numbers are left: those of the abort messages, which were answered.
        for number in [255, 0, 2, 4] { script += status("65", number) }
        let rig = try await Rig(.tpdu, script)
        for _ in 0..<127 {
            await #expect(throws: CCIDError.timedOut(.getSlotStatus)) { try await rig.reader.cardStatus() }
        }
        for _ in 0..<4 { #expect(try await rig.reader.cardStatus() == .active) }
        await rig.expectDone()
    }

    @Test(arguments: ["40 E0 00", "40 FF 00"])
    func `a reader that is busy with an earlier program's command is aborted before the first one`(
        status word: String
    ) async throws {
        let rig = try await Rig(
            CCIDClassDescriptor(level: .tpdu),
            opening: ["> 65 00000000 00 00 000000", "< 81 00000000 00 00 \(word)"] + abort(1), status("65", 2))
        #expect(try await rig.reader.cardStatus() == .active)
        await rig.expectDone()
    }
}
