internal import Determinism
internal import SmartCard

/// The keys of the reader: PC_to_RDR_Secure (CCID 1.1 §6.1.11) begins an entry, key presses end it.
extension ReaderFirmware {
    private typealias Failure = CardExchange.Failure

    /// Between two signs of life while somebody types.
    static let signOfLife = Duration.seconds(2)

    /// Begins a PIN entry. Its answer is the end of its time, until a key brings another one.
    mutating func beginPINEntry(_ command: ReaderCommand, _ index: Int, at now: Timestamp) {
        let entry: ReaderPINEntry
        do throws(CardExchange.Failure) {
            guard model.pinSupport & 1 != 0, !model.misbehaviour.hasNoKeys else {
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
        var elapsed = Self.signOfLife
        while elapsed < end {
            let sign = ReaderAnswer(
                type: 0x80, slot: command.slot, sequence: command.sequence, status: ReaderAnswer.timeExtension,
                error: 1)
            enqueue(
                Timed(moment: now.advanced(by: elapsed), slot: command.slot, bytes: sign.bytes, isExtension: true))
            elapsed += Self.signOfLife
        }
        answer(command, .active, at: now.advanced(by: end), failure: ReaderError.pinTimeout)
    }

    /// Somebody presses a key. Nothing happens while no PIN is asked for.
    mutating func press(_ key: SimulatedReaderKey, slot index: Int, at now: Timestamp) {
        guard slots.indices.contains(index), var entry = slots[index].pinEntry, isPending(index, at: now) else {
            return
        }
        let step = entry.press(key)
        slots[index].pinEntry = entry
        switch step {
        case .goesOn: return
        case .cancelled:
            drop(index, at: now)
            answer(entry.command, slots[index].status, at: now, failure: ReaderError.pinCancelled)
        case .confirmed:
            drop(index, at: now)
            work(entry.command, index, at: now) { (slot, model, exchange, reply) throws(CardExchange.Failure) in
                reply.data = try slot.deliver(&entry, model, &exchange)
            }
        }
    }

    /// Whether the end of the entry's time is still to come.
    private func isPending(_ index: Int, at now: Timestamp) -> Bool {
        answers.contains { $0.slot == UInt8(index) && $0.moment > now && !$0.isExtension }
    }

    private mutating func drop(_ index: Int, at now: Timestamp) {
        slots[index].pinEntry = nil
        removeAnswers(slot: index, after: now)
    }
}

extension ReaderSlot {
    /// Sends the command with the PIN to the card, at the reader's exchange level.
    fileprivate mutating func deliver(
        _ entry: inout ReaderPINEntry, _ model: SimulatedReaderModel, _ exchange: inout CardExchange
    ) throws(CardExchange.Failure) -> [UInt8] {
        var bytes = entry.takeCommand()
        defer { for index in bytes.indices { bytes[index] = 0 } }
        wasUsed = true
        guard model.actualLevel == .tpdu else { return try apdu(bytes, model, &exchange) }
        guard var card = contacts else { throw CardExchange.Failure(code: ReaderError.cardMute) }
        defer { contacts = card }
        isProtocolFixed = true
        guard parameters.number == 1 else { return try exchange.t0(bytes, &card) }
        // The host says which block it is; the reader adds the check bytes.
        let prologue = entry.structure.prologue
        guard Int(prologue[2]) == bytes.count else { throw CardExchange.Failure(code: 22) }
        var block = T1Block(nad: prologue[0], pcb: prologue[1], information: bytes).encoded(parameters.errorDetection)
        defer { for index in block.indices { block[index] = 0 } }
        return try exchange.block(block, &card, waitingTime: card.transmission.blockWaitingTime)
    }
}
