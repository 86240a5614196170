import Determinism
import Synchronization
public import USB

/// A USB smart card reader, byte for byte as on the wire. Its firmware is a state machine of its own and shares no
/// code with the driver.
///
/// Insert and remove cards directly or from an event of the clock's schedule.
public final class SimulatedCCIDReader: SimulatedUSBDevice {
    private enum Transfer {
        case bytes([UInt8])
        case stall
    }

    /// How long hanging firmware hangs.
    private enum Hang { case untilReset, untilPlugged }

    private struct State {
        var firmware: SimulatedReaderFirmware
        var hang: Hang?
        var faults = ReaderFaults()
        /// The bulk IN transfers that are ready.
        var transfers: [Transfer] = []
        var notices: [[UInt8]] = []
        /// The number of open handles.
        var openings = 0
        /// When the last handle was closed or the device was plugged in.
        var closed: Timestamp?
        var unplug: (@Sendable () -> Void)?
        var onPINRequest: (@Sendable (SimulatedPINRequest) -> Void)?
        var onSlotChange: (@Sendable (_ slot: Int, _ hasCard: Bool) -> Void)?

        func hasCard(_ slot: Int) -> Bool {
            firmware.slots.indices.contains(slot)
                && (firmware.slots[slot].contacts != nil || firmware.fields[slot].unseen != nil)
        }
    }

    public let model: SimulatedReaderModel
    private let clock: SimulationClock
    private let state: Mutex<State>

    /// Makes a reader that is not plugged in and has no card. Its times are those of `clock`.
    public init(model: SimulatedReaderModel, clock: SimulationClock) {
        (self.model, self.clock) = (model, clock)
        state = Mutex(State(firmware: SimulatedReaderFirmware(model: model)))
    }

    /// Inserts a card. Does nothing if the slot holds a card.
    ///
    /// - Parameters:
    ///   - card: the card.
    ///   - slot: the slot, counted from 0. An unknown slot has no effect.
    ///   - voltages: the voltages at which the card works; it is mute at others.
    public func insert(_ card: any SimulatedCard, slot: Int = 0, voltages: SimulatedReaderModel.Voltages = .all) {
        change(slot) { $0.firmware.insert(SimulatedCardContacts(card, voltages: voltages), slot: slot) }
    }

    /// Removes the card, even during a command.
    public func removeCard(slot: Int = 0) {
        let now = clock.now()
        change(slot) { $0.firmware.remove(slot: slot, at: now) }
    }

    /// Sets the handler for card insertions and removals, however they happen.
    public func onSlotChange(_ action: (@Sendable (_ slot: Int, _ hasCard: Bool) -> Void)?) {
        state.withLock { $0.onSlotChange = action }
    }

    private func change(_ slot: Int, _ body: (inout State) -> Void) {
        let (hadCard, hasCard, onSlotChange) = state.withLock { state in
            let hadCard = state.hasCard(slot)
            body(&state)
            return (hadCard, state.hasCard(slot), state.onSlotChange)
        }
        if hadCard != hasCard { onSlotChange?(slot, hasCard) }
        clock.signal()
    }

    /// Whether a card is in the slot.
    public func hasCard(slot: Int = 0) -> Bool {
        state.withLock { $0.hasCard(slot) }
    }

    /// Sets the battery charge in percent, 0...100. See ``SimulatedReaderModel/battery``.
    public func setBatteryLevel(percent: UInt8) { state.withLock { $0.firmware.setBatteryLevel(percent: percent) } }

    /// Sets the handler for PIN prompts. It is called on the thread on which the host wrote the command, and answers
    /// later with key presses.
    public func onPINRequest(_ action: (@Sendable (SimulatedPINRequest) -> Void)?) {
        state.withLock { $0.onPINRequest = action }
    }

    /// Presses a key. Does nothing if the reader has no such key or waits for no PIN.
    public func press(_ key: SimulatedReaderKey, slot: Int = 0) {
        let now = clock.now()
        state.withLock { $0.firmware.press(key, slot: slot, at: now) }
        clock.signal()
    }

    /// Arms a fault.
    public func arm(_ fault: SimulatedReaderFault) {
        state.withLock { state in
            switch fault {
            case .hardwareError(let slot): state.notices.append([0x51, slot, 0x00, 0x01])
            case .hang(let untilReset): state.hang = untilReset ? .untilReset : .untilPlugged
            case .command, .xfrBlock, .unplugged: state.faults.arm(fault)
            }
        }
        clock.signal()
    }

    /// Arms a fault of the field of a contactless reader.
    public func arm(_ fault: SimulatedFieldFault, slot: Int = 0) {
        let now = clock.now()
        change(slot) { $0.firmware.arm(fault, slot: slot, at: now) }
    }

    /// Whether the field of a contactless slot is on; true for a slot with contacts.
    public func isFieldOn(slot: Int = 0) -> Bool {
        state.withLock { $0.firmware.fields.indices.contains(slot) && $0.firmware.fields[slot].isOn }
    }

    /// Lets the reader notice that a card has left its field, unless the card was back before.
    private func notice(_ move: SimulatedField.Move) {
        guard state.withLock({ $0.firmware.fields[move.slot].isOutOfReach }) else { return }
        removeCard(slot: move.slot)
    }

    /// Brings a card back into the field.
    private func bringBack(_ move: SimulatedField.Move) {
        let isUnnoticed = state.withLock { state in
            defer { state.firmware.fields[move.slot].isOutOfReach = false }
            return state.firmware.fields[move.slot].isOutOfReach
        }
        if !isUnnoticed { insert(move.card, slot: move.slot) }
    }

    /// The faults that have not happened yet, in the order of arming, and a hang that has not ended.
    public var armedFaults: [SimulatedReaderFault] {
        state.withLock { state in
            let hang = state.hang.map { SimulatedReaderFault.hang(untilReset: $0 == .untilReset) }
            return state.faults.armed + (hang.map { [$0] } ?? [])
        }
    }

    /// Removes the armed faults and ends a hang.
    public func disarm() {
        state.withLock { ($0.faults, $0.hang) = (ReaderFaults(), nil) }
        clock.signal()
    }

    // MARK: SimulatedUSBDevice

    public var descriptors: SimulatedUSBDescriptors { model.descriptors }

    public var keepsHalts: Bool { model.keepsHalts }

    public func plugged(unplug: @escaping @Sendable () -> Void) {
        let now = clock.now()
        state.withLock { state in
            state.hang = nil
            Self.reset(&state, at: now)
            state.firmware.start(at: now)
            (state.unplug, state.openings, state.closed) = (unplug, 0, now)
        }
    }

    public func unplugged() {
        let now = clock.now()
        state.withLock { state in
            Self.reset(&state, at: now)
            state.firmware.stop(at: now)
            state.unplug = nil
        }
    }

    public func opened() {
        let now = clock.now()
        state.withLock { state in
            state.openings += 1
            guard let closed = state.closed else { return }
            state.closed = nil
            state.firmware.wake(afterClosedFor: .milliseconds(now.milliseconds - closed.milliseconds))
        }
    }

    public func closed() {
        let now = clock.now()
        state.withLock { state in
            state.openings -= 1
            if state.openings <= 0 { state.closed = now }
        }
    }

    public func reset() {
        let now = clock.now()
        state.withLock { Self.reset(&$0, at: now) }
    }

    public func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool {
        guard endpoint == SimulatedReaderModel.bulkOutEndpoint else { return false }
        // A zero-length packet ends the transfer before it and is no message.
        guard !bytes.isEmpty else { return true }
        let now = clock.now()
        guard state.withLock({ $0.hang }) == nil else { return true }
        let (isTaken, unplug, requests, onPINRequest, departures, moves) = state.withLock { state in
            let disturbances = state.faults.commandPasses(isXfrBlock: bytes.first == 0x6F)
            let isTaken = !disturbances.contains(.commandStalled) && state.firmware.receive(bytes, at: now)
            if isTaken, let command = ReaderCommand(bytes) {
                for disturbance in disturbances { state.firmware.disturb(command, disturbance, at: now) }
            }
            let isPulled = state.faults.bulkTransferPasses() || disturbances.contains(.unplugged)
            defer { state.firmware.pinRequests = [] }
            return (
                isTaken, isPulled ? state.unplug : nil, state.firmware.pinRequests, state.onPINRequest,
                state.firmware.takeDepartures(), state.firmware.takeMoves()
            )
        }
        for move in moves {
            clock.schedule(after: move.noticedAfter) { [weak self] in self?.notice(move) }
            guard let backAfter = move.backAfter else { continue }
            clock.schedule(after: backAfter) { [weak self] in self?.bringBack(move) }
        }
        for (slot, after) in departures {
            // An answer that is ready survives the removal of the card.
            guard after > .zero else {
                removeCard(slot: slot)
                continue
            }
            clock.schedule(after: after) { [weak self] in self?.removeCard(slot: slot) }
        }
        unplug?()
        for request in requests { onPINRequest?(request) }
        clock.signal()
        return isTaken
    }

    public func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
        let now = clock.now()
        switch endpoint {
        case SimulatedReaderModel.bulkInEndpoint:
            let (input, unplug) = state.withLock { state in
                let input = bulkInput(&state, maximumLength, at: now)
                guard case .notYet = input else {
                    return (input, state.faults.bulkTransferPasses() ? state.unplug : nil)
                }
                return (input, nil)
            }
            unplug?()
            return input
        case SimulatedReaderModel.interruptEndpoint where model.hasInterruptEndpoint:
            return state.withLock { state in
                let notice = state.notices.isEmpty ? state.firmware.takeSlotChange() : state.notices.removeFirst()
                guard let notice else { return .notYet(nil) }
                return notice.count <= maximumLength ? .data(notice) : .overflow
            }
        default:
            return .stall
        }
    }

    public func hasInput(endpoint: UInt8) -> Bool {
        let now = clock.now()
        return state.withLock { state in
            if endpoint == SimulatedReaderModel.interruptEndpoint {
                return !state.notices.isEmpty || state.firmware.slots.contains(where: \.hasChanged)
            }
            return !state.transfers.isEmpty || state.firmware.answers.first.map { $0.moment <= now } ?? false
        }
    }

    public func control(_ request: USBControlRequest) -> [UInt8]? {
        guard !model.misbehavior.hasNoClassRequests else { return nil }
        var answer: [UInt8] = []
        switch (request.requestType, request.request) {
        case (0x21, 0x01):
            let now = clock.now()
            let isTaken = state.withLock { state in
                state.hang != nil
                    || state.firmware.requestAbort(
                        slot: UInt8(request.value & 0xFF), sequence: UInt8(request.value >> 8), at: now)
            }
            clock.signal()
            return isTaken ? [] : nil
        case (0xA1, 0x02): answer.append(word: SimulatedReaderModel.clock)
        case (0xA1, 0x03): answer.append(word: SimulatedReaderModel.dataRate)
        default: return nil
        }
        return answer
    }

    // MARK: Private

    /// Whether an answer is pending.
    var isAnswering: Bool { state.withLock { !$0.transfers.isEmpty || !$0.firmware.answers.isEmpty } }

    /// Hangs the firmware until a bus reset.
    func hang() {
        state.withLock { state in
            state.firmware.isHanging = true
            state.transfers = []
        }
    }

    private static func reset(_ state: inout State, at now: Timestamp) {
        state.firmware.reset(at: now)
        (state.transfers, state.notices) = ([], [])
        if state.hang == .untilReset { state.hang = nil }
    }

    private func bulkInput(_ state: inout State, _ maximumLength: Int, at now: Timestamp) -> SimulatedUSBInput {
        while state.transfers.isEmpty, let answer = state.firmware.nextAnswer(at: now) {
            state.transfers = transfers(of: answer)
        }
        guard let first = state.transfers.first else { return .notYet(state.firmware.answers.first?.moment) }
        state.transfers.removeFirst()
        guard case .bytes(let bytes) = first else { return .stall }
        let packet = model.packetSize
        if bytes.count > maximumLength {
            guard maximumLength > 0, maximumLength % packet == 0 else { return .overflow }
            state.transfers.insert(.bytes(Array(bytes.dropFirst(maximumLength))), at: 0)
            return .data(Array(bytes.prefix(maximumLength)))
        }
        // A zero-length packet after full packets does not fit into a full transfer: it goes into the next one.
        if bytes.count == maximumLength, !bytes.isEmpty, bytes.count % packet == 0,
            model.fullPacketHabit == .endsTransfer
        {
            state.transfers.insert(.bytes([]), at: 0)
        }
        return .data(bytes)
    }

    private func transfers(of answer: SimulatedReaderFirmware.Timed) -> [Transfer] {
        var bytes = answer.bytes
        var transfers: [Transfer] = []
        for disturbance in answer.disturbances {
            switch disturbance {
            case .answerStalled: return [.stall]
            case .zeroLengthFirst: transfers.append(.bytes([]))
            case .wrongSequence: if bytes.count > 6 { bytes[6] &+= 1 }
            case .wrongLength(let difference):
                let length = UInt32(clamping: max(0, bytes.count - ReaderCommand.headerLength + difference))
                Self.claim(length, in: &bytes)
            case .hugeLength: Self.claim(.max, in: &bytes)
            case .truncated(let count): bytes = Array(bytes.prefix(max(0, count)))
            case .commandStalled, .unanswered, .cardRemoved, .unplugged: break
            }
        }
        let isFull = !bytes.isEmpty && bytes.count % model.packetSize == 0
        if isFull, model.fullPacketHabit == .zeroLengthBefore { transfers.append(.bytes([])) }
        transfers.append(.bytes(bytes))
        if isFull, model.fullPacketHabit == .zeroLengthAfter { transfers.append(.bytes([])) }
        return transfers
    }

    private static func claim(_ length: UInt32, in bytes: inout [UInt8]) {
        guard bytes.count >= 5 else { return }
        var claimed: [UInt8] = []
        claimed.append(word: length)
        bytes.replaceSubrange(1..<5, with: claimed)
    }
}
