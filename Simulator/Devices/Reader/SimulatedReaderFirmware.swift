import Determinism
import SmartCard

/// The reader's firmware: takes command messages and holds answers until their time has come. It does not depend on
/// USB, never waits, and validates every length.
struct SimulatedReaderFirmware: Sendable {
    /// An answer with the time at which it is sent.
    struct Timed: Sendable {
        var moment: Timestamp
        var slot: UInt8
        var bytes: [UInt8]
        /// Whether more answers to the same command follow.
        var isExtension = false
        /// Faults applied to this answer.
        var disturbances: [SimulatedReaderFault.Disturbance] = []
    }

    private(set) var model: SimulatedReaderModel
    var slots: [SimulatedReaderSlot]
    /// The fields of the slots of a contactless reader.
    var fields: [SimulatedField]
    /// Cards that left the field during an exchange.
    var moves: [SimulatedField.Move] = []
    /// Cards that leave the reader by themselves, with the delay after the last command.
    private(set) var departures: [(slot: Int, after: Duration)] = []
    /// Pending answers, earliest first.
    private(set) var answers: [Timed] = []
    /// When the firmware started: power-up or bus reset.
    private(set) var started = Timestamp(milliseconds: 0)
    /// When the reader starts to answer; nil before the first command.
    private var ready: Timestamp?
    /// Whether the firmware hangs until a bus reset.
    var isHanging = false { didSet { if isHanging { answers = [] } } }
    /// Whether the firmware is dead until the reader is plugged in again; it is so without power.
    var isDead = false { didSet { if isDead { answers = [] } } }
    /// The number of NotifySlotChange messages sent since power-up.
    private var notices = 0
    /// Whether the extra notification before the next NotifySlotChange was sent.
    private var hasSentOtherNotice = false
    /// PIN entries started since the reader last collected them.
    var pinRequests: [SimulatedPINRequest] = []

    init(model: SimulatedReaderModel) {
        self.model = model
        slots = Array(repeating: SimulatedReaderSlot(), count: min(max(model.slotCount, 1), 16))
        fields = Array(repeating: SimulatedField(), count: slots.count)
    }

    /// Removes and returns the next answer that is due.
    mutating func nextAnswer(at now: Timestamp) -> Timed? {
        guard let first = answers.first, first.moment <= now else { return nil }
        if model.misbehavior.hangsOnFullPackets, first.bytes.count % model.packetSize == 0 {
            isHanging = true
            return nil
        }
        return answers.removeFirst()
    }

    // MARK: Cards, power, and reset

    mutating func setBatteryLevel(percent: UInt8) { model.setBatteryLevel(percent: percent) }

    mutating func insert(_ contacts: SimulatedCardContacts, slot index: Int) {
        guard slots.indices.contains(index), slots[index].contacts == nil else { return }
        guard fields[index].seesCards else {
            fields[index].unseen = fields[index].unseen ?? contacts
            return
        }
        slots[index] = SimulatedReaderSlot()
        slots[index].contacts = contacts
        slots[index].hasChanged = true
    }

    /// Removes the card; a command under way fails now.
    mutating func remove(slot index: Int, at now: Timestamp) {
        guard slots.indices.contains(index) else { return }
        (fields[index].unseen, fields[index].isOutOfReach) = (nil, false)
        guard slots[index].contacts != nil else { return }
        let (request, command) = (slots[index].abortRequest, slots[index].abortCommand)
        slots[index].deactivate()
        slots[index] = SimulatedReaderSlot()
        slots[index].hasChanged = true
        (slots[index].abortRequest, slots[index].abortCommand) = (request, command)
        failPending(slot: index, at: now)
    }

    /// Handles power-up.
    mutating func start(at now: Timestamp) {
        (isDead, notices) = (false, 0)
        reset(at: now)
    }

    /// Handles power loss: until the next power-up nothing is heard of the reader, not even of the cards in it.
    mutating func stop(at now: Timestamp) {
        reset(at: now)
        isDead = true
        for index in slots.indices { slots[index].hasChanged = false }
    }

    /// Handles a bus reset.
    mutating func reset(at now: Timestamp) {
        (answers, started, ready, isHanging, hasSentOtherNotice) = ([], now, nil, false, false)
        for index in slots.indices {
            fields[index].isOn = true
            showCard(slot: index)
            slots[index].deactivate()
            (slots[index].abortRequest, slots[index].abortCommand) = (nil, nil)
            slots[index].hasChanged = slots[index].contacts != nil
        }
    }

    /// Returns a NotifySlotChange message (CCID 1.1 §6.3.1) if a card was inserted or removed since the last one.
    mutating func takeSlotChange() -> [UInt8]? {
        guard slots.contains(where: \.hasChanged) else { return nil }
        if let other = model.misbehavior.extraNotice, !hasSentOtherNotice {
            hasSentOtherNotice = true
            return other
        }
        hasSentOtherNotice = false
        notices += 1
        var bits = [UInt8](repeating: 0, count: (slots.count + 3) / 4)
        for (index, slot) in slots.enumerated() {
            let pair: UInt8 = (slot.contacts == nil ? 0 : 1) | (slot.hasChanged ? 2 : 0)
            bits[index / 4] |= pair << UInt8(index % 4 * 2)
            slots[index].hasChanged = false
        }
        guard notices <= model.misbehavior.maximumNotices ?? .max else { return nil }
        return [0x50] + bits
    }

    /// Fails the commands in progress on a slot whose card was removed.
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

    /// Applies a fault to the last command.
    mutating func disturb(
        _ command: ReaderCommand, _ disturbance: SimulatedReaderFault.Disturbance, at now: Timestamp
    ) {
        let isAnswer: (Timed) -> Bool = {
            $0.slot == command.slot && $0.bytes.count > 6 && $0.bytes[6] == command.sequence
        }
        switch disturbance {
        case .cardRemoved:
            // Seen from one millisecond earlier, every answer is still pending.
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
    /// - Returns: false if it is not a message: shorter than a header or longer than the reader accepts.
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
        } else if let data = answerFieldCommand(command, index, at: now) {
            let answer = ReaderAnswer(
                type: 0x83, slot: command.slot, sequence: command.sequence, status: slots[index].status.rawValue,
                data: data)
            enqueue(Timed(moment: now, slot: command.slot, bytes: answer.bytes))
        } else if !refusesWithoutCard(command, index, at: now) {
            execute(command, index, at: now)
            if command.type == 0x6F, let times = fields[index].exchangePasses() {
                moveAway(command, index, times, at: now)
            }
        }
    }

    /// Handles the ABORT request on the control endpoint (CCID 1.1 §5.3.1).
    ///
    /// - Returns: false if the slot does not exist.
    mutating func requestAbort(slot: UInt8, sequence: UInt8, at now: Timestamp) -> Bool {
        guard slots.indices.contains(Int(slot)) else { return false }
        if model.misbehavior.diesOnAbort { isDead = true }
        guard !isHanging, !isDead else { return true }
        slots[Int(slot)].abortRequest = sequence
        finishAbort(slot: Int(slot), at: now)
        return true
    }

    /// Completes an abort once both halves have arrived, in either order: drops the work in progress and answers the
    /// abort.
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

    /// Executes a command on a slot and its card, and queues the answers with their times.
    mutating func work(
        _ command: ReaderCommand, _ index: Int, at now: Timestamp,
        _ body: (
            _ slot: inout SimulatedReaderSlot, _ model: SimulatedReaderModel, _ exchange: inout CardExchange,
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
            if command.type == 0x62 { reply.data = model.misbehavior.bytesAfterFailure }
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

    /// Handles a card that left the reader during a command.
    private mutating func leave(_ command: ReaderCommand, _ index: Int, at now: Timestamp) {
        remove(slot: index, at: now)
        answer(command, .absent, at: now, failure: ReaderError.cardMute)
    }

    /// Removes and returns the cards that leave by themselves.
    mutating func takeDepartures() -> [(slot: Int, after: Duration)] {
        defer { departures = [] }
        return departures
    }

    /// Removes and returns the cards that left the field during an exchange.
    mutating func takeMoves() -> [SimulatedField.Move] {
        defer { moves = [] }
        return moves
    }

    mutating func answer(
        _ command: ReaderCommand, _ status: ReaderAnswer.CardStatus, at now: Timestamp, failure: UInt8
    ) {
        let answer = ReaderAnswer(
            type: ReaderAnswer.type(for: command.type), slot: command.slot, sequence: command.sequence,
            status: ReaderAnswer.failed | status.rawValue, error: failure)
        enqueue(Timed(moment: now, slot: command.slot, bytes: answer.bytes))
    }

    /// Drops the pending answers of a slot.
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

/// A command message as received by the reader (CCID 1.1 §6.1). The simulated firmware has its own codec, so that an
/// error in the driver's codec cannot cancel itself out.
struct ReaderCommand {
    static let headerLength = 10

    let type: UInt8
    let slot: UInt8
    let sequence: UInt8
    /// Bytes 7 to 9 of the message.
    let specific: (UInt8, UInt8, UInt8)
    let claimedLength: UInt32
    let data: [UInt8]

    /// Fails if there are fewer bytes than a header.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerLength else { return nil }
        (type, slot, sequence) = (bytes[0], bytes[5], bytes[6])
        specific = (bytes[7], bytes[8], bytes[9])
        claimedLength = bytes[1..<5].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        data = Array(bytes[Self.headerLength...])
    }

    /// The wLevelParameter of XfrBlock.
    var level: UInt16 { UInt16(specific.1) | UInt16(specific.2) << 8 }
}

/// An answer message as sent by the reader (CCID 1.1 §6.2).
struct ReaderAnswer {
    /// The low two bits of bStatus.
    enum CardStatus: UInt8 { case active, inactive, absent }

    var type: UInt8
    var slot: UInt8
    var sequence: UInt8
    var status: UInt8
    var error: UInt8 = 0
    var specific: UInt8 = 0
    var data: [UInt8] = []

    static let failed: UInt8 = 0x40
    static let timeExtension: UInt8 = 0x80

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ReaderCommand.headerLength + data.count)
        bytes.append(type)
        bytes.append(word: UInt32(data.count))
        bytes += [slot, sequence, status, error, specific]
        bytes += data
        return bytes
    }

    /// Returns the answer type for a command type (CCID 1.1 §6.1).
    static func type(for command: UInt8) -> UInt8 {
        switch command {
        case 0x62, 0x6F, 0x69: 0x80
        case 0x6C, 0x6D, 0x61: 0x82
        case 0x6B: 0x83
        case 0x73: 0x84
        default: 0x81
        }
    }
}

/// Slot error codes (CCID 1.1 table 6.2-2). 00 means "command not supported", 01...7F the offset of a bad parameter.
enum ReaderError {
    static let unsupported: UInt8 = 0x00
    static let badLength: UInt8 = 0x01
    static let badSlot: UInt8 = 0x05
    static let badFirstParameter: UInt8 = 0x07
    static let badLevelParameter: UInt8 = 0x08
    static let slotBusy: UInt8 = 0xE0
    static let pinCanceled: UInt8 = 0xEF
    static let pinTimeout: UInt8 = 0xF0
    static let procedureByteConflict: UInt8 = 0xF4
    static let protocolUnsupported: UInt8 = 0xF6
    static let badATRCheck: UInt8 = 0xF7
    static let badATRStart: UInt8 = 0xF8
    static let parity: UInt8 = 0xFD
    static let cardMute: UInt8 = 0xFE
    static let aborted: UInt8 = 0xFF
}

extension [UInt8] {
    /// Appends four bytes, least significant first.
    mutating func append(word: UInt32) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
}
