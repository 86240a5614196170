internal import Determinism
internal import SmartCard

/// PIN entry on the reader's own keys (PC_to_RDR_Secure, CCID 1.1 §6.1.11). The PIN stays in the reader: what the
/// host sends is the VERIFY command with an empty PIN block, and what it gets is the card's status word.
extension CCIDReader {
    /// Lets the reader take a PIN and have the card of this activation verify it.
    func verifyPIN(
        _ entry: PINPadEntry, slot: UInt8, activation: UInt64
    ) async throws(CardChannelError) -> PINPadAnswer {
        guard interface.descriptor.pinSupport.contains(.verification) else { return .unsupported }
        let index = Int(slot)
        do throws(CancellationError) {
            try await slots[index].gate.acquire()
        } catch {
            throw .cancelled
        }
        defer { slots[index].gate.release() }
        let session = try await session(slot, activation)
        do throws(CCIDError) {
            return try await verifyPIN(entry, slot, session)
        } catch {
            throw failure(error, index, session)
        }
    }

    private func verifyPIN(
        _ entry: PINPadEntry, _ slot: UInt8, _ session: CCIDCardSession
    ) async throws(CCIDError) -> PINPadAnswer {
        let descriptor = interface.descriptor
        var structure = CCIDPINVerification(
            seconds: entry.seconds, digits: entry.digits,
            messages: behaviour.pinMessages ?? (descriptor.displayLayout != 0 ? 1 : 0),
            swapsDigits: behaviour.swapsPINDigits)
        let runsT1 = descriptor.level == .tpdu && session.transmissionProtocol == 1
        if runsT1 {
            guard let prologue = beginBlock(slot) else {
                slots[Int(slot)].session?.t1 = session.t1
                return .unsupported
            }
            structure.prologue = prologue
        }
        // The reader asks for more time while the cardholder types. A silent one gets the cardholder's time too.
        let reply = try await exchange(
            .secure(structure.bytes), slot: slot, wait: .seconds(Int(entry.seconds)) + session.wait)
        let status = reply.header.status
        guard status.card != .absent else { throw .cardAbsent }
        if case .failed(let error) = status.outcome {
            guard let answer = PINPadAnswer(error) else { throw .failed(.secure, error) }
            // No block went to the card: the next one gets its number.
            slots[Int(slot)].session?.t1 = session.t1
            return answer
        }
        guard status.card == .active else { throw .cardNotPowered }
        let answer = reply.payload()
        if let reason = PINPadAnswer(readerStatus: answer) {
            slots[Int(slot)].session?.t1 = session.t1
            return reason
        }
        guard runsT1 else { return .verified(try Self.response(answer).status) }
        // The reader alone has the command: what the card did not get is not sent again.
        let next = slots[Int(slot)].session?.t1?.received(answer) ?? .failed(.unrecoverable)
        let response = try await finishT1(
            next, slot, CCIDCommandTime(session.wait, total: timing.total, time), mayRepeatCommand: false)
        return .verified(try Self.response(response).status)
    }

    /// Begins a T=1 exchange with the command that the reader will complete.
    ///
    /// - Returns: the first three bytes of its block; nil when the card does not take it in one.
    private func beginBlock(_ slot: UInt8) -> [UInt8]? {
        guard case .send(let block, _)? = slots[Int(slot)].session?.t1?.transmit(CCIDPINVerification.command),
            block.dropFirst(2).first == UInt8(CCIDPINVerification.command.count)
        else { return nil }
        return Array(block.prefix(3))
    }
}

extension PINPadAnswer {
    /// What a failed Secure command says of the entry; nil when it speaks of the card or of the reader.
    fileprivate init?(_ error: CCIDSlotError) {
        switch error {
        case .pinTimeout: self = .timedOut
        case .pinCancelled: self = .cancelled
        // The makers' code for what PC/SC part 10 has as 6403.
        case .other(0xC0): self = .wrongLength
        case .commandNotSupported, .badField: self = .unsupported
        default: return nil
        }
    }
}
