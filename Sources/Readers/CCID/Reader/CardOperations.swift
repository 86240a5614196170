import Determinism
import SmartCard

/// The state of one slot. Only the reader's actor uses it.
final class ReaderSlot {
    /// One operation at a time: a status query does not come between the blocks of a command APDU.
    let gate = CommandGate()
    var presence: SlotPresence
    var power = SlotPower()
    var waiters = ChangeWaiters()
    /// Whether the slot takes cards without contacts.
    let isContactless: Bool

    init(_ presence: SlotPresence, isContactless: Bool) {
        (self.presence, self.isContactless) = (presence, isContactless)
    }
}

/// Operations on the cards in a reader's slots.
extension CCIDReader {
    // MARK: Power

    /// How many times a card is powered before the driver gives up.
    private static let powerOnAttempts = 3

    /// Powers the card in a slot and agrees on a protocol with it: cold reset at the first voltage at
    /// which it answers, a warm reset if the answer breaks the rules (EMV Book 1 §8.4), PPS and parameters
    /// as far as the reader leaves them to the host. A card that was powered is reset; its channel becomes invalid.
    ///
    /// A card that does not answer, or not with an answer to reset, gets three attempts: one that was inserted again
    /// quickly may still be moving. Then the cardholder has to insert it again. A card without contacts gets one
    /// attempt, and the rules for answers to reset do not apply to it: the reader made the answer, and agreed with the
    /// card before it.
    ///
    /// - Throws: ``CCIDError``; the card is without power then.
    public func powerOn(slot: UInt8 = 0) async throws(CCIDError) -> CCIDCardChannel {
        let index = try await enter(slot)
        defer { slots[index].gate.release() }
        slots[index].power.end()
        do throws(CCIDError) {
            var attempt = 1
            while true {
                guard try await queryStatus(slot) != .absent else { throw .cardAbsent }
                do throws(CCIDError) {
                    return try await activate(slot)
                } catch {
                    let attempts = slots[index].isContactless ? 1 : Self.powerOnAttempts
                    guard attempt < attempts, error.mayBeBouncing else { throw error }
                }
                attempt += 1
                try await switchOff(slot)
                try await pause(timing.contactPause)
            }
        } catch {
            slots[index].power.end()
            // Also in a canceled task no card stays half activated.
            if ending == nil, slots[index].presence.card != .absent {
                await Task { _ = try? await exchange(.powerOff, slot: slot, wait: timing.command) }.value
            }
            throw error
        }
    }

    /// Powers the card off. Works in a canceled task, too.
    ///
    /// - Throws: ``CCIDError``; an empty slot is not an error.
    public func powerOff(slot: UInt8 = 0) async throws(CCIDError) {
        let index = try index(slot)
        let result = await Task { () -> Result<Void, CCIDError> in
            do throws(CCIDError) {
                _ = try await enter(slot)
                defer { slots[index].gate.release() }
                // Without power every card looks the same: find out before whether it was out.
                try? await resolveDoubt(slot)
                slots[index].power.end()
                try await switchOff(slot)
                return .success(())
            } catch {
                return .failure(error)
            }
        }.value
        try result.get()
    }

    /// Sends PowerOff. With the slot's gate held.
    func switchOff(_ slot: UInt8) async throws(CCIDError) {
        let status = try await exchange(.powerOff, slot: slot, wait: timing.command).header.status
        if case .failed(let error) = status.outcome, status.card == .active { throw .failed(.powerOff, error) }
    }

    private func activate(_ slot: UInt8) async throws(CCIDError) -> CCIDCardChannel {
        do throws(CCIDError) {
            return try await activate(slot, usesDefaults: !behavior.selectsProtocol)
        } catch {
            guard error == .protocolSelectionRefused else { throw error }
            return try await activate(slot, usesDefaults: true)
        }
    }

    private func activate(_ slot: UInt8, usesDefaults: Bool) async throws(CCIDError) -> CCIDCardChannel {
        let (index, descriptor) = (Int(slot), interface.descriptor)
        // Power-on of an active card is a warm reset.
        if slots[index].presence.card == .active { try await switchOff(slot) }
        var removals = slots[index].presence.removals
        let activation = CardActivation(slot: slot)
        let atr = try await activation.reset(self)
        // Removals until here were before the card answered. A reader that powers cards by itself may have powered
        // another one since.
        if !descriptor.features.contains(.automaticActivation) { removals = slots[index].presence.removals }
        let isContactless = slots[index].isContactless
        let agreed = isContactless ? 1 : try await activation.agree(self, atr, usesDefaults: usesDefaults)
        // The card itself states its waiting time, which may be most of an hour.
        let waitingTime = CardActivation.waitingTime(atr, agreed, descriptor)
        let wait = min(max(timing.exchange, waitingTime + .seconds(1)), timing.total)
        slots[index].presence.noteActivation(removals)
        let runsT1 = descriptor.level.leavesProtocolToHost && agreed == 1
        let session = slots[index].power.start(
            atr, transmissionProtocol: agreed, wait: wait, removals: removals, runsT1: runsT1)
        if runsT1, !isContactless, !descriptor.features.contains(.automaticIFSD) {
            try await CCIDCardCommand(slot: slot, session: session, time: commandDeadline(wait))
                .negotiateInformationFieldSize(self)
        }
        guard slots[index].presence.removals == removals else { throw .cardAbsent }
        return CCIDCardChannel(
            reader: self, slot: slot, activation: session.activation, atr: atr, transmissionProtocol: agreed)
    }

    // MARK: Cards

    /// Asks the reader for the card's status in a slot.
    ///
    /// - Throws: ``CCIDError``
    public func cardStatus(slot: UInt8 = 0) async throws(CCIDError) -> CCIDCardStatus {
        let index = try await enter(slot)
        defer { slots[index].gate.release() }
        return try await queryStatus(slot)
    }

    /// Waits until a card is in the slot, or until it is gone.
    ///
    /// A card that was powered and pulled counts as gone even if another one is there already. The wait follows the
    /// reader's notifications, and polls the slot besides.
    ///
    /// - Parameters:
    ///   - present: what to wait for.
    ///   - slot: number of the slot, from 0.
    ///   - timeout: the longest wait; the slot is queried once in any case.
    /// - Returns: whether it happened in time.
    /// - Throws: ``CCIDError/canceled``, ``CCIDError/readerGone``, and the errors of a status query.
    public func waitForCard(present: Bool, slot: UInt8 = 0, timeout: Duration) async throws(CCIDError) -> Bool {
        let index = try index(slot)
        let start = time.reading()
        while true {
            let notices = slots[index].presence.notices
            let isPresent = try await cardStatus(slot: slot) != .absent
            if present {
                if isPresent { return true }
            } else if !isPresent || slots[index].presence.hasPoweredCardLeft {
                slots[index].presence.noteReportedRemoval()
                return true
            }
            let left = timeout - time.elapsed(since: start)
            guard left > .zero else { return false }
            // A notification that came with the answer may be newer.
            guard slots[index].presence.notices == notices else { continue }
            await waitForChange(index, atMost: min(left, pollInterval))
            guard !Task.isCancelled else { throw .canceled }
            try requireOpen()
        }
    }

    /// Returns at the next change in the slot, when the time is over, or when the task is canceled.
    private func waitForChange(_ index: Int, atMost duration: Duration) async {
        let ticket = slots[index].waiters.takeTicket()
        let timer = Task {
            // Ends early only by cancellation: the wait is over either way.
            try? await time.sleep(for: duration)
            slots[index].waiters.wake(ticket)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { slots[index].waiters.add($0, ticket) }
        } onCancel: {
            timer.cancel()
        }
        timer.cancel()
    }

    /// - Throws: ``CCIDError/noSuchSlot(_:)``
    private func index(_ slot: UInt8) throws(CCIDError) -> Int {
        guard Int(slot) < slots.count else { throw .noSuchSlot(slot) }
        return Int(slot)
    }

    /// Takes the gate of a slot and returns the slot's index.
    ///
    /// - Throws: ``CCIDError/noSuchSlot(_:)``, ``CCIDError/canceled``
    private func enter(_ slot: UInt8) async throws(CCIDError) -> Int {
        let index = try index(slot)
        try await pass(slots[index].gate)
        return index
    }

    /// Queries the status of a slot. With the slot's gate held.
    private func queryStatus(_ slot: UInt8) async throws(CCIDError) -> CCIDCardStatus {
        let status = try await exchange(.getSlotStatus, slot: slot, wait: timing.command).header.status
        if case .failed(let error) = status.outcome, status.card != .absent, error != .cardMute {
            throw .failed(.getSlotStatus, error)
        }
        return status.card
    }

    /// Queries a slot after a notification left it in doubt whether the powered card was out. With the slot's gate
    /// held, and before its power is changed. Without an answer the card counts as removed.
    ///
    /// - Throws: ``CCIDError``
    private func resolveDoubt(_ slot: UInt8) async throws(CCIDError) {
        guard slots[Int(slot)].presence.isDoubtful else { return }
        do throws(CCIDError) {
            _ = try await queryStatus(slot)
        } catch {
            slots[Int(slot)].presence.resolveDoubtAsRemoval()
            throw error
        }
    }

    // MARK: Commands

    /// Exchanges a vendor command with the reader (PC_to_RDR_Escape, CCID 1.1 §6.1.8), with or without a card in the
    /// slot.
    ///
    /// - Parameters:
    ///   - command: the data of the command.
    ///   - slot: number of the slot, from 0.
    /// - Returns: the data of the answer.
    /// - Throws: ``CCIDError/failed(_:_:)`` when the reader does not know the command, ``CCIDError/noSuchSlot(_:)``,
    ///   ``CCIDError/canceled``, and every error that keeps the reader from answering.
    public func escape(_ command: [UInt8], slot: UInt8 = 0) async throws(CCIDError) -> [UInt8] {
        let index = try await enter(slot)
        defer { slots[index].gate.release() }
        let reply = try await exchange(.escape(command), slot: slot, wait: timing.command)
        if case .failed(let error) = reply.header.status.outcome { throw .failed(.escape, error) }
        return reply.payload()
    }

    /// Exchanges a vendor command on which nothing depends. When it fails, the reader is left as it is.
    ///
    /// - Throws: ``CCIDError``
    func tryEscape(_ command: [UInt8], slot: UInt8, wait: Duration) async throws(CCIDError) {
        let index = try await enter(slot)
        defer { slots[index].gate.release() }
        let reply = try await exchange(.escape(command), slot: slot, wait: wait, within: wait, recovers: false)
        if case .failed(let error) = reply.header.status.outcome { throw .failed(.escape, error) }
    }

    /// Exchanges a command APDU on which nothing depends, and which is the reader's own, through the channel of a card.
    /// When it fails, reader and card are left as they are.
    ///
    /// - Throws: ``CCIDError``, also when the channel can't be used anymore.
    func tryTransmit(
        _ command: CommandAPDU, on channel: CCIDCardChannel, wait: Duration
    ) async throws(CCIDError) -> StatusWord {
        let slot = channel.slot
        let session: CCIDCardSession
        do throws(CardChannelError) {
            session = try await enter(slot, channel.activation)
        } catch {
            throw .cardAbsent
        }
        defer { slots[Int(slot)].gate.release() }
        let deadline = CommandDeadline(wait, total: wait, time)
        let exchange = CCIDCardCommand(slot: slot, session: session, time: deadline, recovers: false)
        do throws(CCIDError) {
            return try await exchange.transmit(command, on: self).status
        } catch {
            restoreT1(slot, session)
            throw error
        }
    }

    /// Exchanges a command APDU with the card that was powered in this activation.
    func transmit(
        _ command: CommandAPDU, slot: UInt8, activation: UInt64
    ) async throws(CardChannelError) -> ResponseAPDU {
        let session = try await enter(slot, activation)
        defer { slots[Int(slot)].gate.release() }
        let exchange = CCIDCardCommand(slot: slot, session: session, time: commandDeadline(session.wait))
        do throws(CCIDError) {
            return try await exchange.transmit(command, on: self)
        } catch {
            throw fail(error, slot, session)
        }
    }

    /// Lets the cardholder enter a PIN on the reader and the card of this activation verify it.
    func verifyPIN(
        _ entry: PINPadEntry, slot: UInt8, activation: UInt64
    ) async throws(CardChannelError) -> PINPadAnswer {
        guard interface.descriptor.pinSupport.contains(.verification) else { return .unsupported }
        let session = try await enter(slot, activation)
        defer { slots[Int(slot)].gate.release() }
        do throws(CCIDError) {
            return try await CCIDPINEntry(slot: slot, session: session).verify(entry, on: self)
        } catch {
            throw fail(error, slot, session)
        }
    }

    /// Takes the gate of a slot for the card of an activation, if it may still be used; asks the reader when that is in
    /// doubt. On an error the gate is not held.
    private func enter(_ slot: UInt8, _ activation: UInt64) async throws(CardChannelError) -> CCIDCardSession {
        do throws(CancellationError) {
            try await slots[Int(slot)].gate.acquire()
        } catch {
            throw .canceled
        }
        do throws(CardChannelError) {
            let session = try usableSession(slot, activation)
            guard slots[Int(slot)].presence.isDoubtful else { return session }
            do throws(CCIDError) {
                try await resolveDoubt(slot)
            } catch {
                throw fail(error, slot, session)
            }
            return try usableSession(slot, activation)
        } catch {
            slots[Int(slot)].gate.release()
            throw error
        }
    }

    private func usableSession(_ slot: UInt8, _ activation: UInt64) throws(CardChannelError) -> CCIDCardSession {
        if let ending { throw .readerUnavailable(ending.description) }
        return try slots[Int(slot)].power.session(activation, slots[Int(slot)].presence)
    }

    private func fail(_ error: CCIDError, _ slot: UInt8, _ session: CCIDCardSession) -> CardChannelError {
        slots[Int(slot)].power.fail(error, session, slots[Int(slot)].presence)
    }

    /// Advances a card's T=1 state in place; nil when there is none.
    func withT1<Value>(_ slot: UInt8, _ body: (inout T1InterfaceDevice) -> Value) -> Value? {
        slots[Int(slot)].power.withT1(body)
    }

    /// Sets T=1 back to its state at the start of an exchange.
    func restoreT1(_ slot: UInt8, _ session: CCIDCardSession) { slots[Int(slot)].power.restoreT1(session) }

    /// The time for a command APDU, from now.
    func commandDeadline(_ wait: Duration) -> CommandDeadline { CommandDeadline(wait, total: timing.total, time) }
}
