internal import CardSecrets
internal import Determinism
internal import USB

/// An answer whose header is checked: length, type, slot and sequence number are as they must be.
struct CCIDReply {
    let header: CCIDResponseHeader
    private var message: [UInt8]

    init(header: CCIDResponseHeader, message: [UInt8]) { (self.header, self.message) = (header, message) }

    /// Whether nothing is behind the header.
    var isEmpty: Bool { message.count == CCIDResponseHeader.length }

    /// The data behind the header. Consumes the reply, so that its storage moves instead of being copied.
    consuming func payload() -> [UInt8] {
        message.removeFirst(CCIDResponseHeader.length)
        return message
    }
}

extension CCIDReader {
    /// The most transfers that are no answer to a command: empty ones, and answers to other commands.
    static let maximumStrays = 16
    /// The most time extensions of one command.
    static let maximumTimeExtensions = 1_000

    /// Sends a command and waits for its answer, whether the reader did or failed it.
    ///
    /// After an error the reader is idle: the command is aborted, or the device reset.
    ///
    /// - Parameters:
    ///   - command: what to send.
    ///   - slot: a slot that the reader has.
    ///   - wait: for the answer to come, and the unit of its time extensions.
    ///   - total: for the answer with its time extensions.
    /// - Returns: the answer, whose header is checked.
    /// - Throws: ``CCIDError``
    func exchange(
        _ command: CCIDCommand, slot: UInt8, wait: Duration, within total: Duration? = nil
    ) async throws(CCIDError) -> CCIDReply {
        do throws(CancellationError) {
            try await pipe.acquire()
        } catch {
            throw .cancelled
        }
        defer { pipe.release() }
        return try await exchangeInPipe(command, slot: slot, wait: wait, within: total ?? max(wait, timing.total))
    }

    /// The same with the pipe held.
    func exchangeInPipe(
        _ command: CCIDCommand, slot: UInt8, wait: Duration, within total: Duration
    ) async throws(CCIDError) -> CCIDReply {
        try requireOpen()
        if try await hasSlept(), command.type.needsPower { throw .suspended }
        let index = Int(slot)
        slots[index].hardwareFault = nil
        do throws(CCIDError) {
            var reply: CCIDReply
            do throws(CCIDError) {
                reply = try await send(command, slot: slot, wait: wait, within: total)
            } catch {
                guard error == .usb(.stalled), command.type.isRepeatable else { throw error }
                reply = try await send(command, slot: slot, wait: wait, within: total)
            }
            lostAfterSleep = nil
            if let code = slots[index].hardwareFault { throw .hardwareFault(slot: slot, code: code) }
            return reply
        } catch {
            throw await settle(slot, after: error)
        }
    }

    /// One try, without recovery; a stalled endpoint is cleared.
    private func send(
        _ command: CCIDCommand, slot: UInt8, wait: Duration, within total: Duration
    ) async throws(CCIDError) -> CCIDReply {
        commandedSlot = slot
        let sequence = encode(command, slot: slot)
        defer {
            // A block may hold a PIN.
            outgoing.wipe()
            commandedSlot = nil
        }
        let deadline = CCIDDeadline(wait, total: total, time)
        let first: [UInt8]
        do throws(USBExchangeError) {
            first = try await transport.exchange(
                outgoing, to: interface.bulkOut.address, writeTimeout: timing.command, from: interface.bulkIn.address,
                maximumLength: readLength, readTimeout: deadline.remaining)
        } catch {
            switch error {
            case .write(let cause): throw await failure(cause, command.type, endpoint: interface.bulkOut.address)
            case .read(let cause): throw await failure(cause, command.type, endpoint: interface.bulkIn.address)
            }
        }
        return try await receive(command.type, slot: slot, sequence: sequence, first: first, wait: wait, deadline)
    }

    /// Sends a command with the next sequence number.
    func write(_ command: CCIDCommand, slot: UInt8, timeout: Duration) async throws(CCIDError) {
        _ = encode(command, slot: slot)
        do throws(USBError) {
            try await transport.bulkOut(outgoing, endpoint: interface.bulkOut.address, timeout: timeout)
        } catch {
            throw await failure(error, command.type, endpoint: interface.bulkOut.address)
        }
    }

    /// Makes the outgoing message and returns its sequence number.
    private func encode(_ command: CCIDCommand, slot: UInt8) -> UInt8 {
        let number = nextNumber
        sequence = number &+ 1
        command.encode(into: &outgoing, slot: slot, sequence: number)
        owed.insert(number)
        return number
    }

    /// The sequence number of the next message. Numbers go round after 255, and those that may still be answered are left
    /// out: a late answer must not pass for that of a newer message.
    var nextNumber: UInt8 {
        var number = sequence
        while owed.contains(number), owed.count < 256 { number &+= 1 }
        return number
    }

    /// Goes on from the first transfer that came until the answer is there. When the time is over, the last answer that
    /// was not ours is the error: it tells more than that none came.
    private func receive(
        _ type: CCIDCommandType, slot: UInt8, sequence: UInt8, first: [UInt8], wait: Duration,
        _ deadline: CCIDDeadline
    ) async throws(CCIDError) -> CCIDReply {
        var stale: CCIDError?
        do throws(CCIDError) {
            return try await receive(
                type, slot: slot, sequence: sequence, first: first, wait: wait, deadline, passing: &stale)
        } catch {
            throw error == .timedOut(type) ? stale ?? error : error
        }
    }

    private func receive(
        _ type: CCIDCommandType, slot: UInt8, sequence: UInt8, first: [UInt8], wait: Duration,
        _ beginning: CCIDDeadline, passing stale: inout CCIDError?
    ) async throws(CCIDError) -> CCIDReply {
        var deadline = beginning
        var next: [UInt8]? = first
        var strays = 0
        var extensions = 0
        while true {
            let message: [UInt8]
            if let known = next.take() {
                message = known
            } else {
                message = try await read(type, timeout: deadline.remaining)
            }
            // A reader whose answer filled its last packet ends it with an empty transfer, which may only
            // come to light at the next read. It is never an answer.
            guard !message.isEmpty else {
                try deadline.goOn(type, time, counting: &strays)
                continue
            }
            let header = try Self.header(message)
            guard header.sequence == sequence, header.slot == slot else {
                stale = try passOver(header, message, asked: (slot, sequence))
                try deadline.goOn(type, time, counting: &strays)
                continue
            }
            if header.type != type.answer {
                // A reader that does not know a command has only its slot status to answer with.
                guard header.type == .slotStatus, case .failed = header.status.outcome else {
                    throw .unexpectedAnswer(command: type, answer: header.type)
                }
            }
            observe(Int(slot), header.status.card)
            guard case .timeExtension(let multiplier) = header.status.outcome else {
                owed.remove(sequence)
                taken = TakenAnswer(header, message)
                return CCIDReply(header: header, message: message)
            }
            extensions += 1
            guard extensions <= Self.maximumTimeExtensions else { throw .noEnd(type) }
            try deadline.restart(wait * max(1, Int(multiplier)), type, time)
        }
    }

    /// Passes over an answer that names another message, or another slot, than the one that was sent: what a command
    /// left that was given up, by this program or by one that had the reader before. It neither ends nor prolongs the
    /// wait, and says nothing of the card.
    ///
    /// - Returns: the error that it is, should nothing better come.
    /// - Throws: ``CCIDError/answeredTwice(_:)`` when it is the answer to a message that was answered otherwise before.
    private func passOver(
        _ header: CCIDResponseHeader, _ message: [UInt8], asked: (slot: UInt8, sequence: UInt8)
    ) throws(CCIDError) -> CCIDError {
        onRecovery(.staleAnswer(slot: header.slot, message: header.sequence))
        guard header.sequence != asked.sequence else { return .wrongSlot(expected: asked.slot, actual: header.slot) }
        if owed.remove(header.sequence) == nil, taken?.isContradicted(by: header, message) == true {
            throw .answeredTwice(header.sequence)
        }
        return .wrongSequence(expected: asked.sequence, actual: header.sequence)
    }

    /// Reads one transfer.
    func read(_ type: CCIDCommandType, timeout: Duration) async throws(CCIDError) -> [UInt8] {
        do throws(USBError) {
            return try await transport.bulkIn(
                endpoint: interface.bulkIn.address, maximumLength: readLength, timeout: timeout)
        } catch {
            throw await failure(error, type, endpoint: interface.bulkIn.address)
        }
    }

    static func header(_ message: [UInt8]) throws(CCIDError) -> CCIDResponseHeader {
        do throws(CCIDMessageError) {
            return try CCIDResponseHeader(message: message)
        } catch {
            throw .message(error)
        }
    }

    /// What a failed transfer means; clears the endpoint after a stall.
    private func failure(_ error: USBError, _ type: CCIDCommandType, endpoint: UInt8) async -> CCIDError {
        switch error {
        case .timedOut: return .timedOut(type)
        case .stalled:
            do throws(USBError) {
                try await transport.clearHalt(endpoint: endpoint)
            } catch {
                // Some readers refuse the request and go on all the same. Where an endpoint stays halted, the next
                // transfer stalls again.
                if error == .disconnected || error == .cancelled { return CCIDError(transfer: error) }
            }
            return .usb(.stalled)
        default: return CCIDError(transfer: error)
        }
    }
}
