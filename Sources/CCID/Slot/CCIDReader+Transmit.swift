internal import Determinism
internal import SmartCard

extension CCIDReader {
    /// Exchanges a command APDU with the card that was powered in this activation.
    func transmit(
        _ command: CommandAPDU, slot: UInt8, activation: UInt64
    ) async throws(CardChannelError) -> ResponseAPDU {
        let index = Int(slot)
        do throws(CancellationError) {
            try await slots[index].gate.acquire()
        } catch {
            throw .cancelled
        }
        defer { slots[index].gate.release() }
        let session = try await session(slot, activation)
        let time = CCIDCommandTime(session.wait, total: timing.total, self.time)
        do throws(CCIDError) {
            guard interface.descriptor.level.leavesProtocolToHost else {
                return try await exchangeAPDU(command, slot, session, time)
            }
            guard session.transmissionProtocol == 1 else { return try await exchangeT0(command, slot, time) }
            return try await exchangeT1(command, slot, time)
        } catch {
            throw failure(error, index, session)
        }
    }

    /// The session of an activation, if the card may still be used; looks into the slot when that is in doubt.
    func session(_ slot: UInt8, _ activation: UInt64) async throws(CardChannelError) -> CCIDCardSession {
        let session = try usableSession(Int(slot), activation)
        guard slots[Int(slot)].isDoubtful else { return session }
        do throws(CCIDError) {
            try await settleDoubt(slot)
        } catch {
            throw failure(error, Int(slot), session)
        }
        return try usableSession(Int(slot), activation)
    }

    private func usableSession(_ index: Int, _ activation: UInt64) throws(CardChannelError) -> CCIDCardSession {
        do throws(CCIDError) { try requireOpen() } catch { throw .readerUnavailable(error.description) }
        if slots[index].activations == activation, slots[index].hasPoweredCardLeft { throw .cardRemoved }
        guard let session = slots[index].session, session.activation == activation else {
            throw .protocolViolation("the card was powered off or reset since: power it on again")
        }
        guard session.removals == slots[index].removals else { throw .cardRemoved }
        guard !session.hasFailed else {
            throw .protocolViolation("an earlier exchange with the card failed: power it on again")
        }
        return session
    }

    /// What an error means for the card, which is not to be used any more unless nothing was sent.
    func failure(_ error: CCIDError, _ index: Int, _ session: CCIDCardSession) -> CardChannelError {
        switch error {
        case .extendedLengthNotSupported, .t0(.extendedLengthNotSupported), .t0(.invalidInstruction):
            return .notSupported(error.description)
        default: break
        }
        slots[index].session?.hasFailed = true
        switch error {
        case .cancelled: return .cancelled
        case .readerGone, .readerDead, .closed, .suspended, .usb, .hardwareFault:
            return .readerUnavailable(error.description)
        case .cardAbsent: return .cardRemoved
        case _ where session.removals != slots[index].removals: return .cardRemoved
        case .cardMute, .cardNotPowered, .failed(_, .cardMute): return .cardMute
        case .timedOut: return .timedOut
        default: return .protocolViolation(error.description)
        }
    }
}
