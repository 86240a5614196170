import SmartCard
import Testing
import USB

@testable import CCID

/// The parts of the reader that hold its state, each without a reader.
@Suite struct ReaderPartsTests {
    private static let wait = Duration.seconds(10)

    private func exchange(_ type: CCIDCommandType = .transferBlock, total: Duration = .seconds(60)) -> CommandExchange {
        CommandExchange(type, slot: 0, sequence: 7, wait: Self.wait, total: total, at: .zero)
    }

    private func header(_ bytes: String) throws -> CCIDResponseHeader { try CCIDResponseHeader(message: hex(bytes)) }

    // MARK: Sequence numbers (CCID 1.1 §6.1)

    @Test func `sequence numbers wrap around and skip unanswered messages`() {
        var numbers = MessageNumbers()
        #expect(numbers.take() == 0)
        for number in 1...255 as ClosedRange<UInt8> {
            #expect(numbers.take() == number)
            numbers.noteAnswer(to: number)
        }
        #expect(numbers.next == 1)
        numbers.forgetUnanswered()
        #expect(numbers.next == 0)
    }

    @Test func `with every number unanswered the count continues`() {
        var numbers = MessageNumbers()
        for number in 0...255 as ClosedRange<UInt8> { #expect(numbers.take() == number) }
        #expect(numbers.take() == 0)
    }

    @Test func `a number is reused for the second half of an abort`() {
        var numbers = MessageNumbers()
        #expect(numbers.take() == 0)
        numbers.reuse(0)
        #expect(numbers.take() == 0)
    }

    @Test func `a repeated answer is accepted, and a different one to the same message is not`() throws {
        var numbers = MessageNumbers()
        let (first, second) = (hex("81 00000000 00 00 00 00 00"), hex("81 00000000 00 00 01 00 00"))
        _ = numbers.take()
        numbers.noteAnswer(try CCIDResponseHeader(message: first), first)
        try numbers.noteStale(CCIDResponseHeader(message: first), first)
        #expect(throws: CCIDError.answeredTwice(0)) {
            try numbers.noteStale(CCIDResponseHeader(message: second), second)
        }
    }

    // MARK: Answers (CCID 1.1 §6.2)

    @Test func `the answer ends the exchange with its data`() throws {
        guard case .answer(let reply) = try exchange().sort(hex("80 02000000 00 07 00 00 00 9000")) else {
            Issue.record("no answer")
            return
        }
        #expect(reply.payload() == hex("9000"))
    }

    @Test func `an answer with another number or slot is stale`() throws {
        for message in ["80 00000000 00 06 00 00 00", "80 00000000 01 07 00 00 00"] {
            guard case .stale = try exchange().sort(hex(message)) else {
                Issue.record("taken: \(message)")
                return
            }
        }
    }

    @Test func `a slot status answers any command that failed, and no command that succeeded`() throws {
        guard case .answer = try exchange().sort(hex("81 00000000 00 07 40 00 00")) else {
            Issue.record("no answer")
            return
        }
        #expect(throws: CCIDError.unexpectedAnswer(command: .transferBlock, answer: .slotStatus)) {
            try exchange().sort(hex("81 00000000 00 07 00 00 00"))
        }
    }

    @Test func `a timeout after a stale answer is explained by the stale answer`() throws {
        var (exchange, numbers) = (exchange(), MessageNumbers())
        #expect(exchange.explain(.timedOut(.transferBlock)) == .timedOut(.transferBlock))
        let stale = "80 00000000 00 06 00 00 00"
        try exchange.skip(header(stale), hex(stale), &numbers, at: .seconds(1))
        #expect(exchange.timeout == .seconds(9))
        #expect(exchange.explain(.timedOut(.transferBlock)) == .wrongSequence(expected: 7, actual: 6))
        #expect(exchange.explain(.usb(.stalled)) == .usb(.stalled))
    }

    @Test func `empty transfers use up the wait and come to an end`() throws {
        var slow = exchange()
        try slow.skipEmptyTransfer(at: .seconds(4))
        #expect(slow.timeout == .seconds(6))
        #expect(throws: CCIDError.timedOut(.transferBlock)) { try slow.skipEmptyTransfer(at: .seconds(10)) }
        var endless = exchange()
        for _ in 0..<AnswerDeadline.maximumStrays { try endless.skipEmptyTransfer(at: .zero) }
        #expect(throws: CCIDError.noEnd(.transferBlock)) { try endless.skipEmptyTransfer(at: .zero) }
    }

    @Test func `a time extension multiplies the wait within the total time`() throws {
        var exchange = exchange(total: .seconds(60))
        try exchange.extend(by: 3, at: .seconds(2))
        #expect(exchange.timeout == .seconds(30))
        try exchange.extend(by: 0, at: .seconds(30))
        #expect(exchange.timeout == .seconds(10))
        try exchange.extend(by: 9, at: .seconds(35))
        #expect(exchange.timeout == .seconds(25))
        #expect(throws: CCIDError.timedOut(.transferBlock)) { try exchange.extend(by: 1, at: .seconds(60)) }
    }

    @Test func `time extensions come to an end`() throws {
        var exchange = exchange()
        for _ in 0..<CommandExchange.maximumTimeExtensions { try exchange.extend(by: 1, at: .zero) }
        #expect(throws: CCIDError.noEnd(.transferBlock)) { try exchange.extend(by: 1, at: .zero) }
    }

    @Test func `a recovery command takes its own slot status only`() {
        let exchange = RecoveryExchange(.abort, slot: 1, sequence: 7, wait: Self.wait, at: .zero)
        #expect(exchange.status(in: hex("81 00000000 01 07 01 00 00"))?.card == .inactive)
        for message in [
            "", "81", "80 00000000 01 07 00 00 00", "81 00000000 00 07 00 00 00", "81 00000000 01 06 00 00 00",
        ] {
            #expect(exchange.status(in: hex(message)) == nil, "\(message)")
        }
    }

    // MARK: Recovery (CCID 1.1 §5.3.1)

    @Test func `recovery escalates from abort over power off to a device reset, and then gives up`() {
        var ladder = RecoveryLadder(after: .timedOut(.transferBlock), usesAbort: true)
        #expect(ladder.report(2) == .abort(slot: 2))
        #expect(ladder.fail(.timedOut(.abort), isOpen: true) == .tryNextStep)
        #expect(ladder.report(2) == .slotPowerOff(slot: 2))
        #expect(ladder.fail(.timedOut(.powerOff), isOpen: true) == .tryNextStep)
        #expect(ladder.report(2) == .deviceReset)
        #expect(ladder.fail(.timedOut(.getSlotStatus), isOpen: true) == .dead)
    }

    @Test func `recovery stops when the reader is unplugged or closed`() {
        var ladder = RecoveryLadder(after: .timedOut(.transferBlock), usesAbort: true)
        #expect(ladder.fail(.readerGone, isOpen: true) == .gone)
        #expect(ladder.fail(.timedOut(.abort), isOpen: false) == .gone)
        #expect(ladder.step == .abort)
    }

    @Test func `recovery starts with the power after a hardware fault and with a reset where abort does harm`() {
        #expect(RecoveryLadder(after: .hardwareFault(slot: 0, code: 1), usesAbort: true).step == .slotPowerOff)
        #expect(RecoveryLadder(after: .timedOut(.transferBlock), usesAbort: false).step == .deviceReset)
    }

    @Test func `the abort after a cancellation is not reported, and later steps are`() {
        var ladder = RecoveryLadder(after: .canceled, usesAbort: true)
        #expect(ladder.report(0) == nil)
        #expect(!ladder.isReported)
        #expect(ladder.fail(.timedOut(.abort), isOpen: true) == .tryNextStep)
        #expect(ladder.report(0) == .slotPowerOff(slot: 0))
    }

    @Test func `the abort request carries the slot and the number of the message that follows`() {
        let request = USBControlRequest.abort(9, slot: 2, interface: 1)
        #expect(request == .output(type: 0x21, request: 0x01, value: 0x0902, index: 1, data: []))
    }

    // MARK: Presence (CCID 1.1 §6.2.6, §6.3.1)

    private typealias Change = CCIDNotification.SlotChange
    private static let inserted = Change(isPresent: true, hasChanged: true)
    private static let removed = Change(isPresent: false, hasChanged: true)

    @Test func `a removal in an answer counts once`() {
        var presence = SlotPresence(activatesByItself: false)
        presence.observe(CCIDCardStatus.active)
        presence.noteActivation(presence.removals)
        presence.observe(CCIDCardStatus.absent)
        presence.observe(CCIDCardStatus.absent)
        #expect(presence.removals == 1)
        #expect(presence.hasPoweredCardLeft)
        presence.noteReportedRemoval()
        #expect(!presence.hasPoweredCardLeft)
    }

    @Test func `after a notification a powered card is doubtful until the next answer`() {
        let cases: [(CCIDCardStatus, UInt64)] = [(.active, 0), (.inactive, 1), (.absent, 1)]
        for (status, removals) in cases {
            var presence = SlotPresence(activatesByItself: false)
            presence.observe(CCIDCardStatus.active)
            presence.observe(Self.removed)
            #expect(presence.isDoubtful)
            presence.observe(status)
            #expect(!presence.isDoubtful)
            #expect(presence.removals == removals, "\(status)")
        }
    }

    @Test func `without an answer a doubtful card counts as removed`() {
        var presence = SlotPresence(activatesByItself: false)
        presence.observe(CCIDCardStatus.active)
        presence.observe(Self.removed)
        presence.resolveDoubtAsRemoval()
        #expect(presence.removals == 1)
        presence.resolveDoubtAsRemoval()
        #expect(presence.removals == 1)
    }

    @Test func `a card that is present and changed was removed in between`() {
        var presence = SlotPresence(activatesByItself: false)
        presence.observe(CCIDCardStatus.absent)
        presence.observe(Self.inserted)
        #expect(presence.card == .inactive)
        let before = presence.removals
        presence.observe(Self.inserted)
        #expect(presence.removals == before + 1)
        #expect(presence.card == .inactive)
    }

    @Test func `a device reset does not make a notified card another card`() {
        var presence = SlotPresence(activatesByItself: false)
        presence.observe(Self.inserted)
        presence.prepareForReset()
        let before = presence.removals
        presence.observe(Self.inserted)
        #expect(presence.removals == before)
    }

    // MARK: Power

    private func started(
        _ power: inout SlotPower, _ presence: SlotPresence, runsT1: Bool = false
    ) throws -> CCIDCardSession {
        power.start(
            try ATR(hex(TestATR.t1)), transmissionProtocol: 1, wait: Self.wait, removals: presence.removals,
            runsT1: runsT1)
    }

    @Test func `a session ends with its card, with a newer activation and with a failure`() throws {
        var (power, presence) = (SlotPower(), SlotPresence(activatesByItself: false))
        presence.observe(CCIDCardStatus.active)
        let first = try started(&power, presence)
        #expect(try power.session(first.activation, presence).activation == first.activation)
        let second = try started(&power, presence)
        #expect(throws: CardChannelError.self) { try power.session(first.activation, presence) }
        #expect(power.fail(.timedOut(.transferBlock), second, presence) == .timedOut)
        #expect(throws: CardChannelError.self) { try power.session(second.activation, presence) }
        let third = try started(&power, presence)
        presence.observe(CCIDCardStatus.absent)
        #expect(throws: CardChannelError.cardRemoved) { try power.session(third.activation, presence) }
        #expect(power.fail(.t1(.unrecoverable), third, presence) == .cardRemoved)
        power.end()
        #expect(!power.isOn)
    }

    @Test func `a command that was not sent leaves the session usable`() throws {
        var (power, presence) = (SlotPower(), SlotPresence(activatesByItself: false))
        presence.observe(CCIDCardStatus.active)
        let session = try started(&power, presence)
        let error = power.fail(.extendedLengthNotSupported, session, presence)
        #expect(error == .notSupported(CCIDError.extendedLengthNotSupported.description))
        #expect(throws: Never.self) { try power.session(session.activation, presence) }
    }

    @Test func `T=1 goes back to the number of a block that did not reach the card`() throws {
        var (power, presence) = (SlotPower(), SlotPresence(activatesByItself: false))
        presence.observe(CCIDCardStatus.active)
        let session = try started(&power, presence, runsT1: true)
        let first = power.withT1 { $0.transmit([0, 0x84, 0, 0]) }
        power.restoreT1(session)
        let second = power.withT1 { $0.transmit([0, 0x84, 0, 0]) }
        #expect(second == first)
        power.end()
        let none = power.withT1 { $0.timedOut() }
        #expect(none == nil)
    }

    // MARK: Sleep

    @Test func `a suspend is detected once, and explains a reader lost after it`() {
        var sleep = SleepTracker(.seconds(5))
        let checks = [Duration.milliseconds(5_249), .seconds(8), .seconds(8)].map { sleep.check($0) }
        #expect(checks == [false, true, false])
        #expect(sleep.endedBySleep(.seconds(8)))
        sleep.noteRecovery()
        #expect(!sleep.endedBySleep(.seconds(8)))
    }

    @Test func `a lost read means that the reader is gone unless the machine slept meanwhile`() {
        var sleep = SleepTracker(.zero)
        let losses = [1, 2, 2].map { sleep.isGone(afterLossAt: .seconds($0)) }
        #expect(losses == [false, false, true])
        sleep.noteAnswer()
        let isGone = sleep.isGone(afterLossAt: .seconds(2))
        #expect(!isGone)
    }
}
