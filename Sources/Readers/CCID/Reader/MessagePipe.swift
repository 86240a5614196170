import CardSecrets
import Determinism
import USB

/// The bulk endpoints of a reader: commands out, answers in. It numbers the messages and matches the answers. Only the
/// reader's actor uses it, with one command at a time.
final class MessagePipe {
    private let transport: any USBTransport
    private let interface: CCIDInterface
    private let timeout: Duration
    private let time: any TimeSource
    private let onStaleAnswer: @Sendable (CCIDRecoveryStep) -> Void
    /// The most bytes of one answer: whole packets, or an answer could not end where its buffer does.
    private let readLength: Int
    private var numbers = MessageNumbers()
    /// The outgoing message; its storage is reused and wiped after each command.
    private var outgoing: [UInt8] = []

    /// - Parameters:
    ///   - transport: the open device.
    ///   - interface: the reader's interface in the device.
    ///   - timeout: for a message to go out.
    ///   - time: the clock of the deadlines.
    ///   - onStaleAnswer: called with each answer that is skipped.
    init(
        _ transport: any USBTransport, _ interface: CCIDInterface, timeout: Duration, _ time: any TimeSource,
        onStaleAnswer: @escaping @Sendable (CCIDRecoveryStep) -> Void
    ) {
        (self.transport, self.interface, self.timeout, self.time) = (transport, interface, timeout, time)
        self.onStaleAnswer = onStaleAnswer
        let packet = max(1, Int(interface.bulkIn.maximumPacketSize))
        // Below extended APDU level no answer is longer than 271 bytes; half a kilobyte leaves room for
        // a reader that sends more than it should.
        let longest = interface.descriptor.level == .extendedAPDU ? interface.descriptor.usableMessageLength : 512
        readLength = (longest + packet - 1) / packet * packet
    }

    // MARK: Commands

    /// Sends a command once and waits for its answer, without recovery; clears a stalled endpoint.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - slot: a slot that the reader has.
    ///   - wait: for the answer, and the unit of its time extensions.
    ///   - total: for the answer with its time extensions.
    ///   - observe: called with the card's status in each answer to the command.
    /// - Returns: the answer, whose header is checked.
    /// - Throws: ``CCIDError``
    func exchange(
        _ command: CCIDCommand, slot: UInt8, wait: Duration, within total: Duration,
        observe: (CCIDCardStatus) -> Void
    ) async throws(CCIDError) -> CCIDReply {
        let sequence = encode(command, slot: slot)
        // A block may hold a PIN.
        defer { outgoing.wipe() }
        var exchange = CommandExchange(
            command.type, slot: slot, sequence: sequence, wait: wait, total: total, at: time.reading())
        let first: [UInt8]
        do throws(USBExchangeError) {
            first = try await transport.exchange(
                outgoing, to: interface.bulkOut.address, writeTimeout: timeout, from: interface.bulkIn.address,
                maximumLength: readLength, readTimeout: exchange.timeout)
        } catch {
            switch error {
            case .write(let cause): throw await failure(cause, command.type, endpoint: interface.bulkOut.address)
            case .read(let cause): throw await failure(cause, command.type, endpoint: interface.bulkIn.address)
            }
        }
        do throws(CCIDError) {
            return try await receive(command.type, first, &exchange, observe)
        } catch {
            throw exchange.explain(error)
        }
    }

    private func receive(
        _ type: CCIDCommandType, _ first: [UInt8], _ exchange: inout CommandExchange,
        _ observe: (CCIDCardStatus) -> Void
    ) async throws(CCIDError) -> CCIDReply {
        var message = first
        while true {
            switch try exchange.sort(message) {
            case .empty: try exchange.skipEmptyTransfer(at: time.reading())
            case .stale(let header, let message):
                onStaleAnswer(.staleAnswer(slot: header.slot, message: header.sequence))
                try exchange.skip(header, message, &numbers, at: time.reading())
            case .timeExtension(let card, let multiplier):
                observe(card)
                try exchange.extend(by: multiplier, at: time.reading())
            case .answer(let reply):
                observe(reply.header.status.card)
                numbers.noteAnswer(reply.header, message)
                return reply
            }
            message = try await read(type, timeout: exchange.timeout)
        }
    }

    // MARK: Recovery commands

    /// Exchanges a command whose answer is a slot status, and skips everything else that arrives before it.
    ///
    /// - Returns: the status in the answer.
    /// - Throws: ``CCIDError``
    func exchangeStatus(
        _ command: CCIDCommand, slot: UInt8, wait: Duration
    ) async throws(CCIDError) -> CCIDStatus {
        let sequence = numbers.next
        do throws(CCIDError) {
            try await write(command, slot: slot, timeout: wait)
        } catch {
            guard error == .usb(.stalled) else { throw error }
            // The number of the abort request is used up; a second message with it is still its partner.
            numbers.reuse(sequence)
            try await write(command, slot: slot, timeout: wait)
        }
        var exchange = RecoveryExchange(
            command.type, slot: slot, sequence: sequence, wait: wait, at: time.reading())
        while true {
            do throws(CCIDError) {
                let message = try await read(command.type, timeout: exchange.timeout)
                if let status = exchange.status(in: message) {
                    numbers.noteAnswer(to: sequence)
                    return status
                }
            } catch {
                guard error == .usb(.stalled) else { throw error }
            }
            try exchange.skipTransfer(at: time.reading())
        }
    }

    /// Ends a command by a pair of an abort request and an abort message with the same number (CCID 1.1 §5.3.1,
    /// §6.1.13).
    ///
    /// - Returns: the status in the answer.
    /// - Throws: ``CCIDError``
    func abort(slot: UInt8, wait: Duration) async throws(CCIDError) -> CCIDStatus {
        let isPair = try await requestAbort(slot, wait)
        let status = try await exchangeStatus(.abort, slot: slot, wait: wait)
        // No answer to an earlier message comes after this one. A message without the request promises nothing.
        if isPair { forgetUnanswered() }
        return status
    }

    /// - Returns: whether the reader knows the request.
    private func requestAbort(_ slot: UInt8, _ wait: Duration) async throws(CCIDError) -> Bool {
        let request = USBControlRequest.abort(numbers.next, slot: slot, interface: interface.number)
        do throws(USBError) {
            _ = try await transport.control(request, timeout: wait)
            return true
        } catch {
            // Readers without this request stall it, and end a command by the message alone.
            guard error != .disconnected else { throw .readerGone }
            return false
        }
    }

    /// Forgets all unanswered messages after a device reset.
    func forgetUnanswered() { numbers.forgetUnanswered() }

    /// Sets the data toggles of both endpoints to their initial state (USB 2.0 §9.4.5).
    func clearHalts() async {
        for endpoint in [interface.bulkOut.address, interface.bulkIn.address] {
            try? await transport.clearHalt(endpoint: endpoint)
        }
    }

    // MARK: Transfers

    /// Encodes the outgoing message and returns its sequence number.
    private func encode(_ command: CCIDCommand, slot: UInt8) -> UInt8 {
        let number = numbers.take()
        command.encode(into: &outgoing, slot: slot, sequence: number)
        return number
    }

    private func write(_ command: CCIDCommand, slot: UInt8, timeout: Duration) async throws(CCIDError) {
        _ = encode(command, slot: slot)
        do throws(USBError) {
            try await transport.bulkOut(outgoing, endpoint: interface.bulkOut.address, timeout: timeout)
        } catch {
            throw await failure(error, command.type, endpoint: interface.bulkOut.address)
        }
    }

    private func read(_ type: CCIDCommandType, timeout: Duration) async throws(CCIDError) -> [UInt8] {
        do throws(USBError) {
            return try await transport.bulkIn(
                endpoint: interface.bulkIn.address, maximumLength: readLength, timeout: timeout)
        } catch {
            throw await failure(error, type, endpoint: interface.bulkIn.address)
        }
    }

    /// Returns the error for a failed transfer; clears the endpoint after a stall.
    private func failure(_ error: USBError, _ type: CCIDCommandType, endpoint: UInt8) async -> CCIDError {
        switch error {
        case .timedOut: return .timedOut(type)
        case .stalled:
            do throws(USBError) {
                try await transport.clearHalt(endpoint: endpoint)
            } catch {
                // Some readers refuse the request and continue anyway. Where an endpoint stays halted, the next
                // transfer stalls again.
                if error == .disconnected || error == .canceled { return CCIDError(transfer: error) }
            }
            return .usb(.stalled)
        default: return CCIDError(transfer: error)
        }
    }
}
