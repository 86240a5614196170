import SmartCard

/// PIN entry on the reader's own keys (PC_to_RDR_Secure, CCID 1.1 §6.1.11). The PIN stays in the reader: the host sends
/// the VERIFY command with an empty PIN block, and gets the card's status word.
struct CCIDPINEntry {
    let slot: UInt8
    let session: CCIDCardSession

    /// Asks the cardholder for a PIN, which the card verifies.
    ///
    /// - Throws: ``CCIDError``
    func verify(_ entry: PINPadEntry, on reader: isolated CCIDReader) async throws(CCIDError) -> PINPadAnswer {
        let descriptor = reader.interface.descriptor
        var structure = CCIDPINVerification(
            seconds: entry.seconds, digits: entry.digits,
            messages: reader.behavior.pinMessages ?? (descriptor.displayLayout != 0 ? 1 : 0),
            swapsDigits: reader.behavior.swapsPINDigits)
        let runsT1 = descriptor.level == .tpdu && session.transmissionProtocol == 1
        if runsT1 {
            guard let prologue = beginBlock(reader) else {
                reader.restoreT1(slot, session)
                return .unsupported
            }
            structure.prologue = prologue
        }
        // The reader asks for more time while the cardholder types. A silent reader gets the cardholder's time too.
        let reply = try await reader.exchange(
            .secure(structure.bytes), slot: slot, wait: .seconds(Int(entry.seconds)) + session.wait)
        let status = reply.header.status
        guard status.card != .absent else { throw .cardAbsent }
        if case .failed(let error) = status.outcome {
            guard let answer = PINPadAnswer(error) else { throw .failed(.secure, error) }
            // No block reached the card: the next one gets its number.
            reader.restoreT1(slot, session)
            return answer
        }
        guard status.card == .active else { throw .cardNotPowered }
        let answer = reply.payload()
        if let reason = PINPadAnswer(readerStatus: answer) {
            reader.restoreT1(slot, session)
            return reason
        }
        guard runsT1 else { return .verified(try CCIDCardCommand.response(answer).status) }
        // Only the reader has the complete command: what the card did not get is not sent again.
        let next = reader.withT1(slot) { $0.received(answer) } ?? .failed(.unrecoverable)
        let command = CCIDCardCommand(slot: slot, session: session, time: reader.commandDeadline(session.wait))
        return .verified(
            try CCIDCardCommand.response(try await command.finishT1(next, reader, mayRepeatCommand: false)).status)
    }

    /// Begins a T=1 exchange with the command that the reader will complete.
    ///
    /// - Returns: the first three bytes of its block; nil when the card does not take it in one.
    private func beginBlock(_ reader: isolated CCIDReader) -> [UInt8]? {
        guard case .send(let block, _)? = reader.withT1(slot, { $0.transmit(CCIDPINVerification.command) }),
            block.dropFirst(2).first == UInt8(CCIDPINVerification.command.count)
        else { return nil }
        return Array(block.prefix(3))
    }
}

extension PINPadAnswer {
    /// The outcome of a PIN entry in a failed Secure command; nil when the failure is about the card or the reader.
    fileprivate init?(_ error: CCIDSlotError) {
        switch error {
        case .pinTimeout: self = .timedOut
        case .pinCanceled: self = .canceled
        // The vendors' code for 6403 of PC/SC part 10.
        case .other(0xC0): self = .wrongLength
        case .commandNotSupported, .badField: self = .unsupported
        default: return nil
        }
    }
}

/// The PIN verification data structure of PC_to_RDR_Secure (CCID 1.1 §6.1.11.2), for the format 2 PIN block that
/// EMV cards verify (EMV Book 3 §6.5.12). The layout of the fields is that of PC/SC part 10.
struct CCIDPINVerification: Hashable, Sendable {
    /// VERIFY for a plaintext PIN. The reader puts the number of digits and the digits into the block.
    static let command: [UInt8] = [
        0x00, 0x20, 0x00, 0x80, 0x08, 0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]

    /// bTimeOut, in seconds.
    var seconds: UInt8
    /// The digits that may be typed.
    var digits: ClosedRange<UInt8>
    /// bNumberMessage: 0 without a display, 1 for the reader's own prompt.
    var messages: UInt8
    /// Whether the reader takes the fewest digits first.
    var swapsDigits = false
    /// bTeoPrologue: node address, control byte and length of the T=1 block that the reader is to send; zero
    /// where the reader runs the protocol, and with T=0.
    var prologue: [UInt8] = [0, 0, 0]

    /// abData, 28 bytes.
    var bytes: [UInt8] {
        let (fewest, most) = (digits.lowerBound, digits.upperBound)
        return [
            // bPINOperation: verification.
            0x00, seconds,
            // bmFormatString: the PIN is BCD, left-justified, one byte behind Lc.
            0x89,
            // bmPINBlockString: its length is written in 4 bits; the PIN has room for 7 bytes.
            0x47,
            // bmPINLengthFormat: the length is written 4 bits behind Lc.
            0x04,
            // wPINMaxExtraDigit: the most digits, then the fewest.
            swapsDigits ? fewest : most, swapsDigits ? most : fewest,
            // bEntryValidationCondition: the confirmation key.
            0x02,
            // bNumberMessage
            messages,
            // wLangId: US English.
            0x09, 0x04,
            // bMsgIndex: "enter PIN".
            0x00,
        ] + prologue + Self.command
    }
}
