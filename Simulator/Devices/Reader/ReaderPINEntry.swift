import Determinism
import SmartCard

/// A PIN entry in progress on the reader's keys.
struct ReaderPINEntry {
    /// The effect of a key press.
    enum Step {
        case continues
        case confirmed
        case canceled
    }

    let command: ReaderCommand
    let structure: ReaderPINStructure
    private var typed: [UInt8] = []

    init(_ command: ReaderCommand, _ model: SimulatedReaderModel) throws(CardExchange.Failure) {
        self.command = command
        structure = try ReaderPINStructure(command.data, model.misbehavior)
        typed.reserveCapacity(structure.digits.upperBound)
    }

    mutating func press(_ key: SimulatedReaderKey) -> Step {
        switch key {
        case .digit(let digit):
            guard digit <= 9, typed.count < structure.digits.upperBound else { return .continues }
            typed.append(digit)
            return structure.confirmsWhenFull && typed.count == structure.digits.upperBound ? .confirmed : .continues
        case .correction:
            wipe()
            return .continues
        case .confirmation:
            // Confirming a PIN that is too short has no effect; the reader keeps waiting.
            return structure.hasConfirmationKey && structure.digits.contains(typed.count) ? .confirmed : .continues
        case .cancel:
            wipe()
            return .canceled
        }
    }

    /// Returns the command for the card and erases the digits.
    mutating func takeCommand() -> [UInt8] {
        defer { wipe() }
        return structure.command(typed)
    }

    mutating func wipe() {
        for index in typed.indices { typed[index] = 0 }
        typed.removeAll(keepingCapacity: true)
    }
}

/// A key of a reader's PIN pad.
public enum SimulatedReaderKey: Hashable, Sendable {
    /// 0...9; the reader ignores other values.
    case digit(UInt8)
    /// Clears the entered digits.
    case correction
    case confirmation
    case cancel
}

/// A reader's prompt for a PIN.
public struct SimulatedPINRequest: Hashable, Sendable {
    public var slot: Int
    /// The minimum and maximum number of digits.
    public var digits: ClosedRange<Int>
    /// How long the reader waits for the PIN.
    public var timeout: Duration
}

/// The reader's view of the PIN verification data structure (CCID 1.1 §6.1.11.2), which builds the command from its
/// template and the entered digits.
struct ReaderPINStructure {
    /// The number of bytes before the command.
    private static let headLength = 15

    /// The encoding of a digit: bits 1 and 0 of bmFormatString.
    private enum Coding: UInt8 {
        case binary, bcd, ascii

        var bits: Int { self == .bcd ? 4 : 8 }

        func value(_ digit: UInt8) -> UInt8 { self == .ascii ? 0x30 + digit : digit }
    }

    /// bTimeOut in seconds; a default if the host leaves it to the reader.
    let seconds: Int
    /// The minimum and maximum number of digits.
    let digits: ClosedRange<Int>
    /// Whether the reader confirms an entry at the maximum number of digits (bEntryValidationCondition bit 0).
    let confirmsWhenFull: Bool
    /// Whether the confirmation key ends an entry (bEntryValidationCondition bit 1).
    let hasConfirmationKey: Bool
    /// bTeoPrologue.
    let prologue: [UInt8]
    /// The command with an empty PIN block.
    let template: [UInt8]
    private let coding: Coding
    private let isRightJustified: Bool
    /// The position of the PIN and of its length, in bits after Lc.
    private let pinPosition: Int
    private let lengthPosition: Int
    /// The width of the PIN field and of its length field, in bits.
    private let pinWidth: Int
    private let lengthWidth: Int

    /// - Throws: the offset in the message of the field that the reader does not support.
    init(
        _ data: [UInt8], _ misbehavior: ReaderMisbehavior = ReaderMisbehavior()
    ) throws(CardExchange.Failure) {
        func failure(_ offset: Int) -> CardExchange.Failure {
            CardExchange.Failure(code: UInt8(ReaderCommand.headerLength + offset))
        }
        guard data.first == 0 else { throw failure(0) }
        guard data.count >= Self.headLength + 5 else { throw CardExchange.Failure(code: ReaderError.badLength) }
        seconds = data[1] == 0 ? 30 : Int(data[1])
        guard let coding = Coding(rawValue: data[2] & 0x03) else { throw failure(2) }
        self.coding = coding
        isRightJustified = data[2] & 0x04 != 0
        pinPosition = Int(data[2] >> 3 & 0x0F) * (data[2] & 0x80 != 0 ? 8 : 1)
        pinWidth = Int(data[3] & 0x0F) * 8
        lengthWidth = Int(data[3] >> 4)
        lengthPosition = Int(data[4] & 0x0F) * (data[4] & 0x10 != 0 ? 8 : 1)
        let (first, second) = (Int(data[5]), Int(data[6]))
        let (most, fewest) = misbehavior.swapsPINDigits ? (second, first) : (first, second)
        guard fewest <= most, most > 0 else { throw failure(5) }
        digits = fewest...most
        // The reader does not support confirmation by timeout.
        guard data[7] & 0x03 != 0, data[7] & ~0x03 == 0 else { throw failure(7) }
        (confirmsWhenFull, hasConfirmationKey) = (data[7] & 1 != 0, data[7] & 2 != 0)
        let messages: [UInt8] = misbehavior.pinMessages.map { [$0] } ?? [0x00, 0x01, 0xFF]
        guard messages.contains(data[8]) else { throw failure(8) }
        prologue = Array(data[12..<15])
        template = Array(data[Self.headLength...])
        let room = (template.count - 5) * 8
        guard template.count == 5 + Int(template[4]) else { throw CardExchange.Failure(code: ReaderError.badLength) }
        guard pinPosition + pinWidth <= room else { throw failure(2) }
        guard most * coding.bits <= pinWidth, lengthWidth == 0 || most < 1 << lengthWidth else { throw failure(3) }
        guard lengthPosition + lengthWidth <= room else { throw failure(4) }
    }

    /// Returns the command with the PIN: `typed` holds one digit per byte, as many as ``digits`` allows.
    func command(_ typed: [UInt8]) -> [UInt8] {
        var command = template
        let width = typed.count * coding.bits
        let start = pinPosition + (isRightJustified ? pinWidth - width : 0)
        for (index, digit) in typed.enumerated() {
            Self.write(coding.value(digit), coding.bits, at: 40 + start + index * coding.bits, in: &command)
        }
        Self.write(UInt8(truncatingIfNeeded: typed.count), lengthWidth, at: 40 + lengthPosition, in: &command)
        return command
    }

    /// Writes the low `width` bits of a value, most significant first, at a bit offset. Bits of a field wider than
    /// eight bits are zero.
    private static func write(_ value: UInt8, _ width: Int, at offset: Int, in bytes: inout [UInt8]) {
        for bit in 0..<width {
            let (place, shift) = (offset + bit, width - 1 - bit)
            guard bytes.indices.contains(place / 8) else { return }
            let mask: UInt8 = 0x80 >> UInt8(place % 8)
            let isSet = shift < 8 && value >> UInt8(shift) & 1 != 0
            bytes[place / 8] = isSet ? bytes[place / 8] | mask : bytes[place / 8] & ~mask
        }
    }
}

/// PIN entry on the reader: PC_to_RDR_Secure (CCID 1.1 §6.1.11) starts it, key presses end it.
extension SimulatedReaderFirmware {
    private typealias Failure = CardExchange.Failure

    /// The interval of time extensions during a PIN entry.
    static let timeExtensionInterval = Duration.seconds(2)

    /// Starts a PIN entry. The queued answer is its timeout, until a key press replaces it.
    mutating func beginPINEntry(_ command: ReaderCommand, _ index: Int, at now: Timestamp) {
        let entry: ReaderPINEntry
        do throws(CardExchange.Failure) {
            guard model.pinSupport & 1 != 0, !model.misbehavior.hasNoKeys else {
                throw Failure(code: ReaderError.unsupported)
            }
            guard slots[index].status == .active else { throw Failure(code: ReaderError.cardMute) }
            guard command.level == 0 else { throw Failure(code: ReaderError.badLevelParameter) }
            entry = try ReaderPINEntry(command, model)
        } catch {
            return answer(command, slots[index].status, at: now, failure: error.code)
        }
        slots[index].pinEntry = entry
        pinRequests.append(
            SimulatedPINRequest(
                slot: index, digits: entry.structure.digits, timeout: .seconds(entry.structure.seconds)))
        let end = Duration.seconds(entry.structure.seconds)
        var elapsed = Self.timeExtensionInterval
        while elapsed < end {
            let sign = ReaderAnswer(
                type: 0x80, slot: command.slot, sequence: command.sequence, status: ReaderAnswer.timeExtension,
                error: 1)
            enqueue(
                Timed(moment: now.advanced(by: elapsed), slot: command.slot, bytes: sign.bytes, isExtension: true))
            elapsed += Self.timeExtensionInterval
        }
        answer(command, .active, at: now.advanced(by: end), failure: ReaderError.pinTimeout)
    }

    /// Handles a key press. Does nothing if no PIN entry is in progress.
    mutating func press(_ key: SimulatedReaderKey, slot index: Int, at now: Timestamp) {
        guard slots.indices.contains(index), var entry = slots[index].pinEntry, isPending(index, at: now) else {
            return
        }
        let step = entry.press(key)
        slots[index].pinEntry = entry
        switch step {
        case .continues: return
        case .canceled:
            drop(index, at: now)
            answer(entry.command, slots[index].status, at: now, failure: ReaderError.pinCanceled)
        case .confirmed:
            drop(index, at: now)
            work(entry.command, index, at: now) { (slot, model, exchange, reply) throws(CardExchange.Failure) in
                reply.data = try slot.deliver(&entry, model, &exchange)
            }
        }
    }

    /// Whether the PIN entry has not timed out.
    private func isPending(_ index: Int, at now: Timestamp) -> Bool {
        answers.contains { $0.slot == UInt8(index) && $0.moment > now && !$0.isExtension }
    }

    private mutating func drop(_ index: Int, at now: Timestamp) {
        slots[index].pinEntry = nil
        removeAnswers(slot: index, after: now)
    }
}

extension SimulatedReaderSlot {
    /// Sends the command with the PIN to the card at the reader's exchange level.
    fileprivate mutating func deliver(
        _ entry: inout ReaderPINEntry, _ model: SimulatedReaderModel, _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        var bytes = entry.takeCommand()
        defer { for index in bytes.indices { bytes[index] = 0 } }
        guard model.actualLevel == .tpdu else { return try apdu(bytes, model, &exchange) }
        guard var card = contacts else { throw CardExchange.Failure(code: ReaderError.cardMute) }
        defer { contacts = card }
        isProtocolFixed = true
        guard parameters.number == 1 else { return try exchange.t0(bytes, &card) }
        // The host supplies the block's prologue; the reader adds the check bytes.
        let prologue = entry.structure.prologue
        guard Int(prologue[2]) == bytes.count else { throw CardExchange.Failure(code: 22) }
        var block = T1Block(nad: prologue[0], pcb: prologue[1], information: bytes).encoded(parameters.errorDetection)
        defer { for index in block.indices { block[index] = 0 } }
        return try exchange.block(block, &card, waitingTime: card.transmission.blockWaitingTime)
    }
}
