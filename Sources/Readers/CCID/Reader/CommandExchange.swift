/// An answer with a valid header: its length, type, slot, and sequence number are as expected.
struct CCIDReply {
    let header: CCIDResponseHeader
    private var message: [UInt8]

    init(header: CCIDResponseHeader, message: [UInt8]) { (self.header, self.message) = (header, message) }

    /// Whether the message ends after the header.
    var isEmpty: Bool { message.count == CCIDResponseHeader.length }

    /// Returns the data after the header. Consumes the reply, so that its storage moves instead of being copied.
    consuming func payload() -> [UInt8] {
        message.removeFirst(CCIDResponseHeader.length)
        return message
    }
}

extension CCIDResponseHeader {
    /// Decodes and checks the header of a message.
    ///
    /// - Throws: ``CCIDError/message(_:)``
    init(checking message: [UInt8]) throws(CCIDError) {
        do throws(CCIDMessageError) {
            try self.init(message: message)
        } catch {
            throw .message(error)
        }
    }
}

/// The wait for the answer to one command: sorts the incoming transfers and limits the time and number of waits.
struct CommandExchange {
    /// The meaning of one bulk IN transfer.
    enum Transfer {
        /// A reader whose answer filled its last packet ends it with an empty transfer, which may only arrive with the
        /// next read. It is never an answer.
        case empty
        /// The answer to another command, or for another slot.
        case stale(CCIDResponseHeader, message: [UInt8])
        /// The card needs more time; the answer is still to come.
        case timeExtension(card: CCIDCardStatus, multiplier: UInt8)
        case answer(CCIDReply)
    }

    /// The most time extensions of one command.
    static let maximumTimeExtensions = 1_000

    private let type: CCIDCommandType
    private let slot: UInt8
    private let sequence: UInt8
    private let wait: Duration
    private var deadline: AnswerDeadline
    private var extensions = 0
    private var lastStale: CCIDError?

    /// - Parameters:
    ///   - type: the command that was sent.
    ///   - slot: the slot in the command.
    ///   - sequence: the sequence number of the command.
    ///   - wait: for the answer, and the unit of its time extensions.
    ///   - total: for the answer with its time extensions.
    ///   - now: the current reading of the clock.
    init(_ type: CCIDCommandType, slot: UInt8, sequence: UInt8, wait: Duration, total: Duration, at now: Duration) {
        (self.type, self.slot, self.sequence, self.wait) = (type, slot, sequence, wait)
        deadline = AnswerDeadline(type, wait: wait, total: total, at: now)
    }

    /// The timeout of the next read.
    var timeout: Duration { deadline.remaining }

    /// Returns the meaning of a transfer.
    ///
    /// - Throws: ``CCIDError/message(_:)``, ``CCIDError/unexpectedAnswer(command:answer:)``
    func sort(_ message: [UInt8]) throws(CCIDError) -> Transfer {
        guard !message.isEmpty else { return .empty }
        let header = try CCIDResponseHeader(checking: message)
        guard header.sequence == sequence, header.slot == slot else { return .stale(header, message: message) }
        if header.type != type.answer {
            // A reader that does not know a command has only its slot status to answer with.
            guard header.type == .slotStatus, case .failed = header.status.outcome else {
                throw .unexpectedAnswer(command: type, answer: header.type)
            }
        }
        guard case .timeExtension(let multiplier) = header.status.outcome else {
            return .answer(CCIDReply(header: header, message: message))
        }
        return .timeExtension(card: header.status.card, multiplier: multiplier)
    }

    /// Continues the wait after an empty transfer.
    ///
    /// - Throws: ``CCIDError/timedOut(_:)``, ``CCIDError/noEnd(_:)``
    mutating func skipEmptyTransfer(at now: Duration) throws(CCIDError) { try deadline.skipTransfer(at: now) }

    /// Continues the wait after a stale answer: one to a command that was given up, by this program or by one that used
    /// the reader before. It neither ends nor extends the wait, and says nothing about the card.
    ///
    /// - Throws: ``CCIDError/answeredTwice(_:)`` when the message had a different answer before,
    ///   ``CCIDError/timedOut(_:)``, ``CCIDError/noEnd(_:)``
    mutating func skip(
        _ header: CCIDResponseHeader, _ message: [UInt8], _ numbers: inout MessageNumbers, at now: Duration
    ) throws(CCIDError) {
        if header.sequence == sequence {
            lastStale = .wrongSlot(expected: slot, actual: header.slot)
        } else {
            try numbers.noteStale(header, message)
            lastStale = .wrongSequence(expected: sequence, actual: header.sequence)
        }
        try deadline.skipTransfer(at: now)
    }

    /// Continues the wait after a time extension.
    ///
    /// - Throws: ``CCIDError/timedOut(_:)``, ``CCIDError/noEnd(_:)``
    mutating func extend(by multiplier: UInt8, at now: Duration) throws(CCIDError) {
        extensions += 1
        guard extensions <= Self.maximumTimeExtensions else { throw .noEnd(type) }
        try deadline.restart(wait * max(1, Int(multiplier)), at: now)
    }

    /// Returns the best explanation of an error: after a timeout, the last stale answer says more than the timeout.
    func explain(_ error: CCIDError) -> CCIDError { error == .timedOut(type) ? lastStale ?? error : error }
}

/// The wait for the slot status that answers a recovery command. Skips everything else that arrives before it.
struct RecoveryExchange {
    private let slot: UInt8
    private let sequence: UInt8
    private var deadline: AnswerDeadline

    init(_ type: CCIDCommandType, slot: UInt8, sequence: UInt8, wait: Duration, at now: Duration) {
        (self.slot, self.sequence) = (slot, sequence)
        deadline = AnswerDeadline(type, wait: wait, total: wait, at: now)
    }

    /// The timeout of the next read.
    var timeout: Duration { deadline.remaining }

    /// Returns the status in the answer; nil for any other transfer.
    func status(in message: [UInt8]) -> CCIDStatus? {
        guard let header = try? CCIDResponseHeader(message: message), header.type == .slotStatus, header.slot == slot,
            header.sequence == sequence
        else { return nil }
        return header.status
    }

    /// Continues the wait after any other transfer.
    ///
    /// - Throws: ``CCIDError/timedOut(_:)``, ``CCIDError/noEnd(_:)``
    mutating func skipTransfer(at now: Duration) throws(CCIDError) { try deadline.skipTransfer(at: now) }
}
