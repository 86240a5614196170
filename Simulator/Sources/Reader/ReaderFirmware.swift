internal import Determinism
internal import SmartCard

/// The reader's firmware: takes command messages, keeps answers until their time has come. It knows no USB, does
/// not wait and trusts no length.
struct ReaderFirmware: Sendable {
    /// An answer that has its moment.
    struct Timed: Sendable {
        var moment: Timestamp
        var slot: UInt8
        var bytes: [UInt8]
        /// Whether more answers to the same command follow.
        var isExtension = false
        /// What goes wrong on its way out.
        var disturbances: [SimulatedReaderFault.Disturbance] = []
    }

    private(set) var model: SimulatedReaderModel
    var slots: [ReaderSlot]
    /// Cards that come out by themselves, and how long after the last command.
    private(set) var departures: [(slot: Int, after: Duration)] = []
    /// By moment, the earliest first.
    private(set) var answers: [Timed] = []
    /// When the firmware began: power came, or the bus was reset.
    private(set) var started = Timestamp(milliseconds: 0)
    /// When the reader begins to answer; nil until it is asked something.
    private var ready: Timestamp?
    /// Nothing comes until the bus is reset.
    var isHanging = false { didSet { if isHanging { answers = [] } } }
    /// Nothing comes until the reader is plugged in again.
    var isDead = false { didSet { if isDead { answers = [] } } }
    /// NotifySlotChange that were sent since power came.
    private var notices = 0
    /// The notification that means nothing was sent before the next one that does.
    private var hasToldOther = false
    /// PIN entries that have begun since somebody looked.
    var pinRequests: [SimulatedPINRequest] = []

    init(model: SimulatedReaderModel) {
        self.model = model
        slots = Array(repeating: ReaderSlot(), count: min(max(model.slotCount, 1), 16))
    }

    /// Nothing is under way, in no slot.
    var isAtRest: Bool { answers.isEmpty && slots.allSatisfy(\.isAtRest) }

    /// Takes the next answer whose moment has come.
    mutating func nextAnswer(at now: Timestamp) -> Timed? {
        guard let first = answers.first, first.moment <= now else { return nil }
        if model.misbehaviour.hangsOnFullPackets, first.bytes.count % model.packetSize == 0 {
            isHanging = true
            return nil
        }
        return answers.removeFirst()
    }

    // MARK: The outside world

    mutating func setBatteryLevel(percent: UInt8) { model.setBatteryLevel(percent: percent) }

    mutating func insert(_ contacts: SimulatedCardContacts, slot index: Int) {
        guard slots.indices.contains(index), slots[index].contacts == nil else { return }
        slots[index] = ReaderSlot()
        slots[index].contacts = contacts
        slots[index].hasChanged = true
    }

    /// Takes the card away; the command under way, if any, fails now.
    mutating func remove(slot index: Int, at now: Timestamp) {
        guard slots.indices.contains(index), slots[index].contacts != nil else { return }
        let (request, command) = (slots[index].abortRequest, slots[index].abortCommand)
        slots[index].deactivate()
        slots[index] = ReaderSlot()
        slots[index].hasChanged = true
        (slots[index].abortRequest, slots[index].abortCommand) = (request, command)
        failPending(slot: index, at: now)
    }

    /// Power comes.
    mutating func start(at now: Timestamp) {
        (isDead, notices) = (false, 0)
        reset(at: now)
    }

    /// Power goes, or the bus is reset.
    mutating func reset(at now: Timestamp) {
        (answers, started, ready, isHanging, hasToldOther) = ([], now, nil, false, false)
        for index in slots.indices {
            slots[index].deactivate()
            (slots[index].abortRequest, slots[index].abortCommand) = (nil, nil)
            slots[index].hasChanged = slots[index].contacts != nil
            slots[index].wasUsed = false
        }
    }

    /// NotifySlotChange (CCID 1.1 §6.3.1) when a card came or went since the last one.
    mutating func takeSlotChange() -> [UInt8]? {
        guard slots.contains(where: \.hasChanged) else { return nil }
        if let other = model.misbehaviour.otherNotice, !hasToldOther {
            hasToldOther = true
            return other
        }
        hasToldOther = false
        notices += 1
        var bits = [UInt8](repeating: 0, count: (slots.count + 3) / 4)
        for (index, slot) in slots.enumerated() {
            let pair: UInt8 = (slot.contacts == nil ? 0 : 1) | (slot.hasChanged ? 2 : 0)
            bits[index / 4] |= pair << UInt8(index % 4 * 2)
            slots[index].hasChanged = false
        }
        guard notices <= model.misbehaviour.noticesBeforeSilence ?? .max else { return nil }
        return [0x50] + bits
    }

    /// The commands of a slot that are still being worked on fail: the card is gone.
    private mutating func failPending(slot index: Int, at now: Timestamp) {
        let slot = UInt8(index)
        guard let last = answers.last(where: { $0.slot == slot && $0.moment > now && !$0.isExtension }),
            last.bytes.count >= ReaderCommand.headerLength
        else { return }
        removeAnswers(slot: index, after: now)
        let answer = ReaderAnswer(
            type: last.bytes[0], slot: slot, sequence: last.bytes[6],
            status: ReaderAnswer.failed | ReaderAnswer.CardStatus.absent.rawValue, error: ReaderError.cardMute)
        enqueue(Timed(moment: now, slot: slot, bytes: answer.bytes))
    }

    /// Something goes wrong with the command that was taken last.
    mutating func disturb(
        _ command: ReaderCommand, _ disturbance: SimulatedReaderFault.Disturbance, at now: Timestamp
    ) {
        let isAnswer: (Timed) -> Bool = {
            $0.slot == command.slot && $0.bytes.count > 6 && $0.bytes[6] == command.sequence
        }
        switch disturbance {
        case .cardRemoved:
            // Seen from the moment before, every answer is still to come.
            remove(slot: Int(command.slot), at: Timestamp(milliseconds: now.milliseconds &- 1))
        case .unanswered:
            answers.removeAll(where: isAnswer)
        case .answerStalled, .zeroLengthFirst, .wrongSequence, .wrongLength, .hugeLength, .truncated:
            answers.lastIndex(where: isAnswer).map { answers[$0].disturbances.append(disturbance) }
        case .commandStalled, .unplugged:
            break
        }
    }

    // MARK: Commands

    /// Takes a command message.
    ///
    /// - Returns: false when it is no message: shorter than a header or longer than the reader takes.
    mutating func receive(_ bytes: [UInt8], at now: Timestamp) -> Bool {
        guard bytes.count <= model.actualMessageLength, let command = ReaderCommand(bytes) else { return false }
        if ready == nil { ready = now.advanced(by: model.startTime) }
        if isAwake(for: command, at: now) { take(command, at: now) }
        return true
    }

    private mutating func take(_ command: ReaderCommand, at now: Timestamp) {
        let index = Int(command.slot)
        guard slots.indices.contains(index) else {
            return answer(command, .absent, at: now, failure: ReaderError.badSlot)
        }
        guard command.claimedLength == UInt32(command.data.count) else {
            return answer(command, slots[index].status, at: now, failure: ReaderError.badLength)
        }
        if command.type == 0x72 {
            slots[index].abortCommand = command.sequence
            finishAbort(slot: index, at: now)
        } else if slots[index].abortRequest != nil {
            answer(command, slots[index].status, at: now, failure: ReaderError.aborted)
        } else if answers.contains(where: { $0.slot == command.slot && $0.moment > now }) {
            answer(command, slots[index].status, at: now, failure: ReaderError.slotBusy)
        } else if command.type == 0x69 {
            beginPINEntry(command, index, at: now)
        } else {
            execute(command, index, at: now)
        }
    }

    /// The ABORT request of the control endpoint (CCID 1.1 §5.3.1).
    ///
    /// - Returns: false when there is no such slot.
    mutating func requestAbort(slot: UInt8, sequence: UInt8, at now: Timestamp) -> Bool {
        guard slots.indices.contains(Int(slot)) else { return false }
        if model.misbehaviour.diesOnAbort { isDead = true }
        guard !isHanging, !isDead else { return true }
        slots[Int(slot)].abortRequest = sequence
        finishAbort(slot: Int(slot), at: now)
        return true
    }

    /// Both halves have come, in whatever order: what was under way is dropped, the abort is answered.
    private mutating func finishAbort(slot index: Int, at now: Timestamp) {
        guard let sequence = slots[index].abortCommand, slots[index].abortRequest == sequence else { return }
        (slots[index].abortRequest, slots[index].abortCommand) = (nil, nil)
        (slots[index].incoming, slots[index].outgoing, slots[index].pinEntry) = (nil, [], nil)
        removeAnswers(slot: index, after: now)
        let answer = ReaderAnswer(
            type: 0x81, slot: UInt8(index), sequence: sequence, status: slots[index].status.rawValue)
        enqueue(Timed(moment: now, slot: UInt8(index), bytes: answer.bytes))
    }

    private mutating func execute(_ command: ReaderCommand, _ index: Int, at now: Timestamp) {
        work(command, index, at: now) { (slot, model, exchange, reply) throws(CardExchange.Failure) in
            try slot.execute(command, model, &exchange, &reply)
        }
    }

    /// Does the work of a command with a slot and its card, and keeps the answers until their time has come.
    mutating func work(
        _ command: ReaderCommand, _ index: Int, at now: Timestamp,
        _ body: (
            _ slot: inout ReaderSlot, _ model: SimulatedReaderModel, _ exchange: inout CardExchange,
            _ reply: inout ReaderAnswer
        ) throws(CardExchange.Failure) -> Void
    ) {
        var slot = slots[index]
        var exchange = CardExchange()
        var reply = ReaderAnswer(
            type: ReaderAnswer.type(for: command.type), slot: command.slot, sequence: command.sequence, status: 0)
        do throws(CardExchange.Failure) {
            try body(&slot, model, &exchange, &reply)
        } catch {
            reply.status = ReaderAnswer.failed
            reply.error = error.code
            if command.type == 0x62 { reply.data = model.misbehaviour.bytesAfterFailure }
        }
        let departure = slot.contacts?.departure
        if departure == .beforeAnswer {
            slots[index] = slot
            leave(command, index, at: now)
            return
        }
        if departure == .afterAnswer {
            departures.append((index, exchange.elapsed))
        }
        reply.status |= slot.reportedStatus(model).rawValue
        slots[index] = slot
        for sign in exchange.extensions {
            let answer = ReaderAnswer(
                type: reply.type, slot: command.slot, sequence: command.sequence,
                status: ReaderAnswer.timeExtension | slot.status.rawValue, error: sign.multiplier)
            enqueue(
                Timed(
                    moment: now.advanced(by: sign.after), slot: command.slot, bytes: answer.bytes,
                    isExtension: true))
        }
        enqueue(Timed(moment: now.advanced(by: exchange.elapsed), slot: command.slot, bytes: reply.bytes))
    }

    /// The card came out while it was working.
    private mutating func leave(_ command: ReaderCommand, _ index: Int, at now: Timestamp) {
        remove(slot: index, at: now)
        answer(command, .absent, at: now, failure: ReaderError.cardMute)
    }

    /// Takes the cards that come out by themselves.
    mutating func takeDepartures() -> [(slot: Int, after: Duration)] {
        defer { departures = [] }
        return departures
    }

    mutating func answer(
        _ command: ReaderCommand, _ status: ReaderAnswer.CardStatus, at now: Timestamp, failure: UInt8
    ) {
        let answer = ReaderAnswer(
            type: ReaderAnswer.type(for: command.type), slot: command.slot, sequence: command.sequence,
            status: ReaderAnswer.failed | status.rawValue, error: failure)
        enqueue(Timed(moment: now, slot: command.slot, bytes: answer.bytes))
    }

    /// Drops what a slot was going to answer.
    mutating func removeAnswers(slot index: Int, after now: Timestamp) {
        answers.removeAll { $0.slot == UInt8(index) && $0.moment > now }
    }

    mutating func enqueue(_ answer: Timed) {
        var answer = answer
        answer.moment = max(answer.moment, ready ?? answer.moment)
        let place = answers.lastIndex { $0.moment <= answer.moment }.map { $0 + 1 } ?? 0
        answers.insert(answer, at: place)
    }
}
