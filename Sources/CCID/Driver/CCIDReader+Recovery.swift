internal import Determinism
internal import USB

extension CCIDReader {
    /// ABORT, a class request to the interface (CCID 1.1 §5.3.1).
    private static let abortRequest: UInt8 = 0x01

    /// Makes sure that the reader is idle after a command that ended with an error; returns that error,
    /// or a better one.
    func settle(_ slot: UInt8, after error: CCIDError) async -> CCIDError {
        switch error {
        case .readerGone:
            end(.gone)
            return ending ?? .readerGone
        case .hardwareFault:
            // The answer was read: nothing is under way. Whatever the fault was, the card gets no more power.
            await Task { await takePower(slot) }.value
            return error
        default:
            if let ending { return ending }
            // A cancel is no failure of the reader: its first step is not told.
            let isTold = error != .cancelled
            // Every transfer of a cancelled task ends at once; these must not.
            await Task { await dropCommand(slot, isTold: isTold) }.value
            // Until the hub has noticed that a reader was pulled out its transfers fail in other ways.
            if case .usb = error, lifetime == .gone { return .readerGone }
            return error
        }
    }

    /// Brings a reader to rest that an earlier program may have left in the middle of a command.
    ///
    /// - Throws: ``CCIDError``
    func comeToRest() async throws(CCIDError) {
        do throws(CancellationError) {
            try await pipe.acquire()
        } catch {
            throw .cancelled
        }
        defer { pipe.release() }
        try await rest()
    }

    /// The same with the pipe held.
    func rest() async throws(CCIDError) {
        do throws(CCIDError) {
            try await begin()
            // A reader that still has an earlier program's command would answer it in the middle of ours.
            let outcome = try await handshake(.getSlotStatus, slot: 0, wait: behaviour.firstAnswer)
            if outcome.isUnfinished { throw .timedOut(.getSlotStatus) }
        } catch {
            let error = await settle(0, after: error)
            guard error != .cancelled else { throw error }
            try requireOpen()
        }
    }

    /// What some readers need before their first command.
    private func begin() async throws(CCIDError) {
        do throws(USBError) {
            if behaviour.isResetWhenOpened { try await reset() }
        } catch {
            throw CCIDError(transfer: error)
        }
        try await pause(behaviour.startPause)
    }

    /// Lets time pass.
    ///
    /// - Throws: ``CCIDError/cancelled``
    func pause(_ duration: Duration) async throws(CCIDError) {
        guard duration > .zero else { return }
        do throws(CancellationError) {
            try await time.sleep(for: duration)
        } catch {
            throw .cancelled
        }
    }

    // MARK: Steps

    /// Ends a command by a pair of abort messages with the same number (CCID 1.1 §5.3.1, §6.1.13).
    private func dropCommand(_ slot: UInt8, isTold: Bool) async {
        guard behaviour.usesAbort else { return await resetDevice() }
        if isTold { onRecovery(.abort(slot: slot)) }
        do throws(CCIDError) {
            let isPair = try await requestAbort(slot)
            try await handshake(.abort, slot: slot, wait: timing.abort)
            // No answer to an earlier message comes after this one. Where the message stood alone, nobody said so.
            if isPair { owed = [] }
            if isTold { onRecovery(.recovered) }
        } catch {
            await goOn(after: error) { await takePower(slot) }
        }
    }

    /// - Returns: whether the reader knows the request.
    private func requestAbort(_ slot: UInt8) async throws(CCIDError) -> Bool {
        // The message that follows takes the next sequence number; both must carry the same.
        let request = USBControlRequest.output(
            type: 0x21, request: Self.abortRequest, value: UInt16(nextNumber) << 8 | UInt16(slot),
            index: UInt16(interface.number), data: [])
        do throws(USBError) {
            _ = try await transport.control(request, timeout: timing.abort)
            return true
        } catch {
            // Readers without this request stall it, and end a command by the message alone.
            guard error != .disconnected else { throw .readerGone }
            return false
        }
    }

    /// Takes the power from a slot. With the pipe held.
    private func takePower(_ slot: UInt8) async {
        slots[Int(slot)].session = nil
        slots[Int(slot)].isDoubtful = false
        onRecovery(.slotPowerOff(slot: slot))
        do throws(CCIDError) {
            let outcome = try await handshake(.powerOff, slot: slot, wait: timing.abort)
            if outcome.isUnfinished { throw .timedOut(.powerOff) }
            onRecovery(.recovered)
        } catch {
            await goOn(after: error) { await resetDevice() }
        }
    }

    /// Takes the power from a slot whose fault was told when no command was under way.
    func takePowerAfterFault(_ slot: UInt8) async {
        guard (try? await pipe.acquire()) != nil else { return }
        defer { pipe.release() }
        guard lifetime == .open, slots[Int(slot)].session != nil else { return }
        await takePower(slot)
    }

    private func resetDevice() async {
        for slot in slots.indices {
            slots[slot].session = nil
            slots[slot].isDoubtful = false
            // Each card is told anew after the reset, which does not mean that another one came.
            slots[slot].notifiedPresence = nil
        }
        onRecovery(.deviceReset)
        do throws(USBError) {
            try await reset()
        } catch {
            return die(CCIDError(transfer: error))
        }
        do throws(CCIDError) {
            owed = []
            try await pause(behaviour.startPause)
            try await handshake(.getSlotStatus, slot: 0, wait: behaviour.answerAfterReset)
            onRecovery(.recovered)
        } catch {
            die(error)
        }
    }

    private func goOn(after error: CCIDError, _ next: () async -> Void) async {
        guard error != .readerGone, lifetime == .open else { return end(.gone) }
        await next()
    }

    private func die(_ error: CCIDError) {
        guard error != .readerGone else { return end(.gone) }
        onRecovery(.dead)
        end(.dead)
    }

    /// Exchanges a command whose answer is a slot status, and drops all else that comes before it.
    ///
    /// - Returns: what became of the command.
    /// - Throws: ``CCIDError``
    @discardableResult
    private func handshake(_ command: CCIDCommand, slot: UInt8, wait: Duration) async throws(CCIDError) -> CCIDOutcome {
        let sequence = nextNumber
        do throws(CCIDError) {
            try await write(command, slot: slot, timeout: wait)
        } catch {
            guard error == .usb(.stalled) else { throw error }
            // The number of the abort request is used up; a second message with it is still its partner.
            owed.remove(sequence)
            self.sequence = sequence
            try await write(command, slot: slot, timeout: wait)
        }
        var deadline = CCIDDeadline(wait, total: wait, time)
        var strays = 0
        while true {
            do throws(CCIDError) {
                let message = try await read(command.type, timeout: deadline.remaining)
                if let header = try? Self.header(message), header.type == .slotStatus, header.slot == slot,
                    header.sequence == sequence
                {
                    owed.remove(sequence)
                    observe(Int(slot), header.status.card)
                    return header.status.outcome
                }
            } catch {
                guard error == .usb(.stalled) else { throw error }
            }
            try deadline.goOn(command.type, time, counting: &strays)
        }
    }
}
