internal import Determinism
internal import USB

extension CCIDReader {
    /// How often in a row the interrupt endpoint may fail before it is given up.
    private static let maximumListenerFailures = 8

    /// Asks what is in a slot.
    ///
    /// - Throws: ``CCIDError``
    public func cardStatus(slot: UInt8 = 0) async throws(CCIDError) -> CCIDCardStatus {
        let index = try index(slot)
        try await enter(index)
        defer { slots[index].gate.release() }
        return try await queryStatus(slot)
    }

    /// Waits until a card is in the slot, or until it is gone.
    ///
    /// A card that was powered and pulled counts as gone although another one is there already. The wait
    /// follows the reader's notifications, and looks into the slot itself now and then.
    ///
    /// - Parameters:
    ///   - present: what to wait for.
    ///   - slot: number of the slot, from 0.
    ///   - timeout: the longest wait; the slot is looked at once in any case.
    /// - Returns: whether it happened in time.
    /// - Throws: ``CCIDError/cancelled``, ``CCIDError/readerGone`` and what a status query throws.
    public func waitForCard(present: Bool, slot: UInt8 = 0, timeout: Duration) async throws(CCIDError) -> Bool {
        let index = try index(slot)
        let start = time.reading()
        while true {
            let notices = slots[index].notices
            let isPresent = try await cardStatus(slot: slot) != .absent
            if present {
                if isPresent { return true }
            } else if !isPresent || slots[index].hasPoweredCardLeft {
                slots[index].poweredRemovals = nil
                return true
            }
            let left = timeout - time.elapsed(since: start)
            guard left > .zero else { return false }
            // A notification that came with the answer may be the younger of the two.
            guard slots[index].notices == notices else { continue }
            await waitForChange(
                index, atMost: min(left, isNotifying ? timing.notifiedPollInterval : timing.pollInterval))
            guard !Task.isCancelled else { throw .cancelled }
            try requireOpen()
        }
    }

    /// Takes the slot's gate.
    ///
    /// - Throws: ``CCIDError/cancelled``
    func enter(_ index: Int) async throws(CCIDError) {
        do throws(CancellationError) {
            try await slots[index].gate.acquire()
        } catch {
            throw .cancelled
        }
    }

    /// With the slot's gate held.
    func queryStatus(_ slot: UInt8) async throws(CCIDError) -> CCIDCardStatus {
        let status = try await exchange(.getSlotStatus, slot: slot, wait: timing.command).header.status
        if case .failed(let error) = status.outcome, status.card != .absent, error != .cardMute {
            throw .failed(.getSlotStatus, error)
        }
        return status.card
    }

    /// Notes what an answer said of a slot.
    func observe(_ index: Int, _ card: CCIDCardStatus) {
        let hasLeft = card == .absent && slots[index].card != .absent
        // A card that was out has lost its power.
        let wasOut = slots[index].isDoubtful && card != .active
        if hasLeft || wasOut { slots[index].removals += 1 }
        slots[index].isDoubtful = false
        slots[index].card = card
    }

    /// Looks into a slot of which a notification left in doubt whether the powered card was out. With the slot's gate
    /// held, and before its power is changed. Without an answer the card counts as removed.
    ///
    /// - Throws: ``CCIDError``
    func settleDoubt(_ slot: UInt8) async throws(CCIDError) {
        let index = Int(slot)
        guard slots[index].isDoubtful else { return }
        do throws(CCIDError) {
            _ = try await queryStatus(slot)
        } catch {
            if slots[index].isDoubtful { slots[index].removals += 1 }
            slots[index].isDoubtful = false
            throw error
        }
    }

    /// Whether the reader powers a card when it is inserted. Its word that a card is active says nothing of the card
    /// that the host powered.
    var activatesByItself: Bool { interface.descriptor.features.contains(.automaticActivation) }

    func wakeWaiters(_ index: Int) {
        let waiters = slots[index].waiters
        slots[index].waiters = [:]
        // In the order in which they came, so that a repeatable run stays one.
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume() }
    }

    /// Returns at the next change in the slot, when the time is over or when the task is cancelled.
    private func waitForChange(_ index: Int, atMost duration: Duration) async {
        slots[index].nextTicket += 1
        let ticket = slots[index].nextTicket
        let timer = Task {
            // Woken early only by cancellation: the wait is over either way.
            try? await time.sleep(for: duration)
            slots[index].waiters.removeValue(forKey: ticket)?.resume()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { slots[index].waiters[ticket] = $0 }
        } onCancel: {
            timer.cancel()
        }
        timer.cancel()
    }

    /// Reads the interrupt endpoint until the reader is closed or gone.
    func takeNotifications(from endpoint: USBEndpoint) async {
        let length = max(Int(endpoint.maximumPacketSize), 1 + (slots.count + 3) / 4)
        var failures = 0
        while lifetime == .open, failures < Self.maximumListenerFailures, !Task.isCancelled {
            do throws(USBError) {
                let bytes = try await transport.interruptIn(
                    endpoint: endpoint.address, maximumLength: length, timeout: .seconds(3600))
                failures = 0
                lostAfterSleep = nil
                // Not everything that comes here is meant for the driver.
                if let notification = try? CCIDNotification(bytes: bytes) { take(notification) }
            } catch {
                switch error {
                case .timedOut: continue
                // A sleep of the machine ends a read as if the device were gone (-ESHUTDOWN). Of one that is, the next
                // read ends at once, too.
                case .disconnected where lostAfterSleep != time.timeAsleep(): lostAfterSleep = time.timeAsleep()
                case .disconnected: end(.gone)
                case .stalled:
                    failures += 1
                    try? await transport.clearHalt(endpoint: endpoint.address)
                default: failures += 1
                }
            }
        }
        isNotifying = false
    }

    private func take(_ notification: CCIDNotification) {
        switch notification {
        case .slotChange(let changes):
            isNotifying = true
            for (index, change) in zip(slots.indices, changes) { take(change, index) }
        case .hardwareError(let slot, _, let code):
            guard Int(slot) < slots.count else { return }
            slots[Int(slot)].hardwareFault = code
            // Nobody's command will find it: the power is taken from the slot, after the command that another one has.
            if commandedSlot != slot, slots[Int(slot)].session != nil { Task { await takePowerAfterFault(slot) } }
        }
    }

    private func take(_ change: CCIDNotification.SlotChange, _ index: Int) {
        // Told to be there before, and changed: it was out in between.
        if !change.isPresent || (change.hasChanged && slots[index].notifiedPresence == true) {
            noteAbsence(index, isBack: change.isPresent)
        } else if slots[index].card == .absent {
            observe(index, .inactive)
        }
        slots[index].notifiedPresence = change.isPresent
        slots[index].noticedRemovals = slots[index].removals
        slots[index].notices += 1
        wakeWaiters(index)
    }

    /// A notification says that the slot was empty at some time since the one before it. It may come late: the card
    /// that has power now can be a newer one.
    private func noteAbsence(_ index: Int, isBack: Bool) {
        if slots[index].card == .active {
            guard activatesByItself else {
                slots[index].isDoubtful = true
                return
            }
            // An answer told of this absence before, and the card was powered after it. Two cards cannot be changed
            // between two polls of the endpoint.
            guard slots[index].removals == slots[index].noticedRemovals else { return }
        }
        observe(index, .absent)
        if isBack { observe(index, .inactive) }
    }
}
