internal import CardSecrets
internal import Determinism
internal import SmartCard

extension PCSCReader {
    /// Exchanges a command APDU with the card that was powered in this activation.
    func transmit(_ command: CommandAPDU, activation: UInt64) async throws(CardChannelError) -> ResponseAPDU {
        let card = try usableSession(activation).card
        guard !Task.isCancelled else { throw .cancelled }
        do throws(PCSCError) {
            return card.activeProtocol.contains(.t1)
                ? try await exchangeT1(command, card) : try await exchangeT0(command, card)
        } catch {
            throw await failure(error, activation)
        }
    }

    /// Lets the reader take a PIN and have the card of this activation verify it.
    func verifyPIN(_ entry: PINPadEntry, activation: UInt64) async throws(CardChannelError) -> PINPadAnswer {
        let session = try usableSession(activation)
        guard let code = session.verifyPIN else { return .unsupported }
        guard !Task.isCancelled else { throw .cancelled }
        let structure = PCSCPINVerification(
            seconds: entry.seconds, digits: entry.digits, hasDisplay: session.hasDisplay)
        do throws(PCSCError) {
            let answer = try await session.card.control(
                code, structure.bytes, within: .seconds(Int(entry.seconds)) + timing.exchange)
            if let reason = PINPadAnswer(readerStatus: answer) { return reason }
            return .verified(try Self.response(answer).status)
        } catch {
            if error == .failed(.control, .unsupportedFeature) { return .unsupported }
            throw await failure(error, activation)
        }
    }

    // T=0 carries TPDUs: what lies between them and a command APDU is the host's (PC/SC part 5). Where a reader does it
    // by itself, nothing is left to do.
    private func exchangeT0(_ command: CommandAPDU, _ card: PCSCCard) async throws(PCSCError) -> ResponseAPDU {
        var mapper: T0CommandMapper
        do throws(T0Error) { mapper = try T0CommandMapper(command) } catch { throw .t0(error) }
        let start = time.reading()
        var step = mapper.start()
        while true {
            switch step {
            case .complete(let response): return response
            case .exchange(var tpdu):
                // It may hold a PIN, and has no other owner from here on.
                step = .exchange([])
                defer { tpdu.wipe() }
                let left = timing.exchange - time.elapsed(since: start)
                guard left > .zero else { throw .timedOut(.transmit) }
                guard !Task.isCancelled else { throw .cancelled }
                let answer = try await card.transmit(tpdu, within: left)
                do throws(T0Error) { step = try mapper.received(answer) } catch { throw .t0(error) }
            }
        }
    }

    private func exchangeT1(_ command: CommandAPDU, _ card: PCSCCard) async throws(PCSCError) -> ResponseAPDU {
        var apdu = command.bytes
        // It may hold a PIN.
        defer { apdu.wipe() }
        return try Self.response(try await card.transmit(apdu))
    }

    private static func response(_ answer: [UInt8]) throws(PCSCError) -> ResponseAPDU {
        do throws(APDUError) { return try ResponseAPDU(bytes: answer) } catch { throw .response(error) }
    }

    /// The session of an activation, if the card may still be used.
    private func usableSession(_ activation: UInt64) throws(CardChannelError) -> Session {
        guard let session, session.activation == activation else {
            throw .protocolViolation("the card was powered off or reset since: power it on again")
        }
        guard !session.hasFailed else {
            throw .protocolViolation("an earlier exchange with the card failed: power it on again")
        }
        return session
    }

    /// What an error means for the card, which is not to be used any more unless nothing was sent.
    private func failure(_ error: PCSCError, _ activation: UInt64) async -> CardChannelError {
        switch error {
        case .t0(.extendedLengthNotSupported), .t0(.invalidInstruction): return .notSupported(error.description)
        default: break
        }
        if session?.activation == activation { session?.hasFailed = true }
        note(error)
        switch error {
        case .cancelled: return .cancelled
        case .timedOut: return .timedOut
        case .failed(_, .removedCard), .failed(_, .noSmartCard), .cardAbsent: return .cardRemoved
        case .failed(_, .unresponsiveCard), .failed(_, .unpoweredCard): return .cardMute
        case .closed, .failed(_, .noService), .failed(_, .serviceStopped), .failed(_, .communicationError),
            .failed(_, .readerUnavailable), .failed(_, .unknownReader), .failed(_, .invalidHandle):
            return .readerUnavailable(error.description)
        // Some drivers make an empty answer of a card that is pulled out in the middle.
        case .failed(_, .notTransacted), .failed(_, .communicationDataLost), .t0(.answerTooShort),
            .response(.responseTooShort):
            // Asked also when the payment was cancelled.
            return await Task { await self.departure() }.value ?? .protocolViolation(error.description)
        default: return .protocolViolation(error.description)
        }
    }

    /// What an exchange failed for that pcscd has no reason for: it notices with some delay that a card or a reader is
    /// gone.
    ///
    /// - Returns: nil when both are there.
    private func departure() async -> CardChannelError? {
        do throws(PCSCError) {
            return try await waitForCard(present: false, timeout: timing.removal) ? .cardRemoved : nil
        } catch {
            return .readerUnavailable(error.description)
        }
    }
}
