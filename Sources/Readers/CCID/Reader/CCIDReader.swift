import Determinism
public import USB

/// A USB smart card reader (CCID 1.1) and its slots.
///
/// One command is in progress at a time in the whole reader, whatever bMaxCCIDBusySlots allows: the answers of all
/// slots come through one pipe, and a read that is canceled for one slot could take another slot's answer with it. A
/// command ends in one of two ways only: with its answer, or with the reader idle again.
///
/// Call ``close()`` when done; until then the reader listens to its interrupt endpoint.
public actor CCIDReader {
    private enum Lifetime: Hashable { case open, gone, dead, closed }

    /// The device with its descriptors.
    public nonisolated let device: USBDevice
    /// The reader's interface in the device.
    public nonisolated let interface: CCIDInterface
    /// The quirks of the reader.
    public nonisolated let quirks: ReaderQuirks
    let behavior: ReaderBehavior
    let timing: CCIDTiming
    private let transport: any USBTransport
    let time: any TimeSource
    let onRecovery: @Sendable (CCIDRecoveryStep) -> Void
    private let messages: MessagePipe
    /// Admits one command at a time to ``messages``.
    private let pipe = CommandGate()

    private var lifetime = Lifetime.open
    private var sleep: SleepTracker
    /// Whether the machine slept between the reader's last answer and its end.
    public private(set) var hasEndedBySleep = false
    let slots: [ReaderSlot]
    /// Whether the reader has sent a slot notification, and is still listened to.
    private var isNotifying = false
    /// The slot whose command is in progress; nil while there is none.
    private var commandedSlot: UInt8?
    private var listener: Task<Void, Never>?
    private var closing: Task<Void, Never>?
    /// What became of the commands for the lights and the buzzer.
    var indicatorHealth = IndicatorHealth()

    // MARK: Opening and closing

    init(
        _ transport: any USBTransport, _ interface: CCIDInterface, _ quirks: ReaderQuirks,
        _ behavior: ReaderBehavior, _ timing: CCIDTiming, _ time: any TimeSource,
        _ onRecovery: @escaping @Sendable (CCIDRecoveryStep) -> Void
    ) {
        (self.transport, self.interface, self.timing, self.time) = (transport, interface, timing, time)
        (self.quirks, self.behavior) = (quirks, behavior)
        self.onRecovery = onRecovery
        sleep = SleepTracker(time.timeAsleep())
        device = transport.device
        messages = MessagePipe(
            transport, interface, timeout: timing.command, time, onStaleAnswer: onRecovery)
        let presence = SlotPresence(
            activatesByItself: interface.descriptor.features.contains(.automaticActivation))
        slots = (0...interface.descriptor.maximumSlotIndex).map { number in
            ReaderSlot(presence, isContactless: interface.contactless.numbers.contains(number))
        }
    }

    /// The number of slots.
    public nonisolated var slotCount: Int { Int(interface.descriptor.maximumSlotIndex) + 1 }

    /// Powers the cards off and releases the device. A command in progress has ``CCIDTiming/abort`` to end; then it is
    /// ended, and the cards are left as they are. Can be called more than once, and from a canceled task: it returns
    /// when the device is closed.
    public func close() async {
        let closing = closing ?? Task { await shutDown() }
        self.closing = closing
        await closing.value
    }

    private func shutDown() async {
        let isIdle = lifetime == .open ? await acquirePipe(within: timing.abort) : false
        if isIdle {
            for slot in slots.indices where slots[slot].power.isOn {
                slots[slot].power.end()
                _ = try? await exchangeInPipe(
                    .powerOff, slot: UInt8(clamping: slot), wait: timing.command, within: timing.command)
            }
        }
        end(.closed)
        if isIdle { pipe.release() }
        listener?.cancel()
        await transport.close()
        await listener?.value
    }

    /// - Returns: whether the pipe came free in time, and is held now.
    private func acquirePipe(within timeout: Duration) async -> Bool {
        guard pipe.isHeld else { return (try? await pipe.acquire()) != nil }
        let turn = Task { (try? await pipe.acquire()) != nil }
        let timer = Task {
            guard (try? await time.sleep(for: timeout)) != nil else { return }
            turn.cancel()
        }
        defer { timer.cancel() }
        return await turn.value
    }

    /// Ends the reader's life: no command is possible from now on.
    private func end(_ ending: Lifetime) {
        if lifetime == .open { hasEndedBySleep = sleep.endedBySleep(time.timeAsleep()) }
        if lifetime != .closed { lifetime = ending }
        isNotifying = false
        for slot in slots.indices {
            slots[slot].power.end()
            slots[slot].waiters.wakeAll()
        }
    }

    /// - Throws: ``CCIDError/readerGone``, ``CCIDError/readerDead``, ``CCIDError/closed``
    func requireOpen() throws(CCIDError) {
        if let ending { throw ending }
    }

    /// Why no command is possible anymore; nil while the reader is open.
    public var ending: CCIDError? {
        switch lifetime {
        case .open: nil
        case .gone: .readerGone
        case .dead: .readerDead
        case .closed: .closed
        }
    }

    // MARK: Exchanges

    /// Sends a command and waits for its answer, whether the command succeeded or failed.
    ///
    /// After an error the reader is idle: the command is aborted, or the device reset.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - slot: a slot that the reader has.
    ///   - wait: for the answer, and the unit of its time extensions.
    ///   - total: for the answer with its time extensions.
    ///   - recovers: false for a command on which nothing depends. It is given up then, and the reader is left as it
    ///     is: an answer that still comes is skipped.
    /// - Returns: the answer, whose header is checked.
    /// - Throws: ``CCIDError``
    func exchange(
        _ command: CCIDCommand, slot: UInt8, wait: Duration, within total: Duration? = nil, recovers: Bool = true
    ) async throws(CCIDError) -> CCIDReply {
        try await pass(pipe)
        defer { pipe.release() }
        return try await exchangeInPipe(
            command, slot: slot, wait: wait, within: total ?? max(wait, timing.total), recovers: recovers)
    }

    /// Sends a command and waits for its answer. With the pipe held.
    private func exchangeInPipe(
        _ command: CCIDCommand, slot: UInt8, wait: Duration, within total: Duration, recovers: Bool = true
    ) async throws(CCIDError) -> CCIDReply {
        try requireOpen()
        if try await hasSlept(), command.type.needsPower { throw .suspended }
        let index = Int(slot)
        slots[index].power.beginCommand()
        do throws(CCIDError) {
            var reply: CCIDReply
            do throws(CCIDError) {
                reply = try await send(command, slot: slot, wait: wait, within: total)
            } catch {
                guard error == .usb(.stalled), command.type.isRepeatable else { throw error }
                reply = try await send(command, slot: slot, wait: wait, within: total)
            }
            sleep.noteAnswer()
            if let code = slots[index].power.hardwareFault { throw .hardwareFault(slot: slot, code: code) }
            return reply
        } catch {
            guard recovers || error.concernsWholeReader else { throw error }
            throw await restore(slot, after: error)
        }
    }

    private func send(
        _ command: CCIDCommand, slot: UInt8, wait: Duration, within total: Duration
    ) async throws(CCIDError) -> CCIDReply {
        commandedSlot = slot
        defer { commandedSlot = nil }
        return try await messages.exchange(command, slot: slot, wait: wait, within: total) {
            slots[Int(slot)].presence.observe($0)
        }
    }

    /// Waits for a turn at a gate.
    ///
    /// - Throws: ``CCIDError/canceled``
    func pass(_ gate: CommandGate) async throws(CCIDError) {
        do throws(CancellationError) {
            try await gate.acquire()
        } catch {
            throw .canceled
        }
    }

    // MARK: Recovery

    /// Makes the reader idle, whatever an earlier program left it in, and listens to it.
    ///
    /// - Throws: ``CCIDError``
    func begin() async throws(CCIDError) {
        try await pass(pipe)
        defer { pipe.release() }
        try await becomeIdle()
        listen()
    }

    /// Makes the reader idle. With the pipe held.
    private func becomeIdle() async throws(CCIDError) {
        do throws(CCIDError) {
            if behavior.isResetWhenOpened { try await reset() }
            try await pause(behavior.startPause)
            // A reader that still has an earlier program's command would answer it in the middle of ours.
            let outcome = try await exchangeStatus(.getSlotStatus, slot: 0, wait: behavior.firstAnswer)
            if outcome.isUnfinished { throw .timedOut(.getSlotStatus) }
        } catch {
            let error = await restore(0, after: error)
            guard error != .canceled else { throw error }
            try requireOpen()
        }
    }

    /// Checks whether the machine slept since the last check. If so, ends every session and makes the reader idle. With
    /// the pipe held.
    ///
    /// - Throws: ``CCIDError/readerGone``, ``CCIDError/readerDead``, ``CCIDError/canceled``
    private func hasSlept() async throws(CCIDError) -> Bool {
        guard sleep.check(time.timeAsleep()) else { return false }
        for slot in slots.indices {
            slots[slot].power.end()
            slots[slot].presence.forgetCard()
        }
        await messages.clearHalts()
        try await becomeIdle()
        sleep.noteRecovery()
        return true
    }

    /// Makes the reader idle after a command that ended with an error; returns that error, or a better one.
    private func restore(_ slot: UInt8, after error: CCIDError) async -> CCIDError {
        if error == .readerGone {
            end(.gone)
            return ending ?? .readerGone
        }
        let ladder = RecoveryLadder(after: error, usesAbort: behavior.usesAbort)
        // A hardware fault came with an answer, and takes the power of the slot also from a reader that is ending.
        if ladder.step != .slotPowerOff, let ending { return ending }
        // Every transfer of a canceled task ends at once; these must not.
        await Task { await recover(slot, ladder) }.value
        // Until the hub notices that a reader was unplugged, its transfers fail in other ways.
        if case .usb = error, lifetime == .gone { return .readerGone }
        return error
    }

    /// Takes recovery steps until one helps. With the pipe held.
    private func recover(_ slot: UInt8, _ beginning: RecoveryLadder) async {
        var ladder = beginning
        while true {
            if let report = ladder.report(slot) { onRecovery(report) }
            do throws(CCIDError) {
                switch ladder.step {
                case .abort: note(try await messages.abort(slot: slot, wait: timing.abort), slot)
                case .slotPowerOff: try await takePower(slot)
                case .deviceReset: try await resetDevice()
                }
                if ladder.isReported { onRecovery(.recovered) }
                return
            } catch {
                switch ladder.fail(error, isOpen: lifetime == .open) {
                case .tryNextStep: continue
                case .gone: return end(.gone)
                case .dead:
                    onRecovery(.dead)
                    return end(.dead)
                }
            }
        }
    }

    private func takePower(_ slot: UInt8) async throws(CCIDError) {
        slots[Int(slot)].power.end()
        slots[Int(slot)].presence.forgetDoubt()
        let outcome = try await exchangeStatus(.powerOff, slot: slot, wait: timing.abort)
        if outcome.isUnfinished { throw .timedOut(.powerOff) }
    }

    /// Powers off a slot that reported a fault while no command was in progress.
    private func takePowerAfterFault(_ slot: UInt8, _ code: UInt8) async {
        guard (try? await pipe.acquire()) != nil else { return }
        defer { pipe.release() }
        guard lifetime == .open, slots[Int(slot)].power.isOn else { return }
        await recover(
            slot, RecoveryLadder(after: .hardwareFault(slot: slot, code: code), usesAbort: behavior.usesAbort))
    }

    private func resetDevice() async throws(CCIDError) {
        for slot in slots.indices {
            slots[slot].power.end()
            slots[slot].presence.prepareForReset()
        }
        try await reset()
        messages.forgetUnanswered()
        try await pause(behavior.startPause)
        try await exchangeStatus(.getSlotStatus, slot: 0, wait: behavior.answerAfterReset)
    }

    /// Resets the device while nothing reads notifications. The kernel ends the transfers of a claimed interface as if
    /// the device were gone (-ESHUTDOWN), and a read that begins meanwhile would claim it a second time.
    private func reset() async throws(CCIDError) {
        let heard = listener
        heard?.cancel()
        await heard?.value
        listener = nil
        defer { if heard != nil { listen() } }
        do throws(USBError) {
            try await transport.reset()
        } catch {
            throw CCIDError(transfer: error)
        }
    }

    @discardableResult
    private func exchangeStatus(
        _ command: CCIDCommand, slot: UInt8, wait: Duration
    ) async throws(CCIDError) -> CCIDOutcome {
        let status = try await messages.exchangeStatus(command, slot: slot, wait: wait)
        note(status, slot)
        return status.outcome
    }

    private func note(_ status: CCIDStatus, _ slot: UInt8) { slots[Int(slot)].presence.observe(status.card) }

    // MARK: Notifications

    /// How long a wait for a card may rest between two queries of the slot.
    var pollInterval: Duration { isNotifying ? timing.notifiedPollInterval : timing.pollInterval }

    /// How many times in a row the interrupt endpoint may fail before the driver stops reading it.
    private static let maximumListenerFailures = 8

    private func listen() {
        guard let endpoint = interface.interrupt, behavior.heedsNotifications, listener == nil, lifetime == .open
        else { return }
        listener = Task { await takeNotifications(from: endpoint) }
    }

    /// Reads the interrupt endpoint until the reader is closed or gone.
    private func takeNotifications(from endpoint: USBEndpoint) async {
        let length = max(Int(endpoint.maximumPacketSize), 1 + (slots.count + 3) / 4)
        var failures = 0
        while lifetime == .open, failures < Self.maximumListenerFailures, !Task.isCancelled {
            do throws(USBError) {
                let bytes = try await transport.interruptIn(
                    endpoint: endpoint.address, maximumLength: length, timeout: .seconds(3600))
                failures = 0
                sleep.noteAnswer()
                // Not everything that arrives here is meant for the driver.
                if let notification = try? CCIDNotification(bytes: bytes) { take(notification) }
            } catch {
                switch error {
                case .timedOut: continue
                case .disconnected: if sleep.isGone(afterLossAt: time.timeAsleep()) { end(.gone) }
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
            for (index, change) in zip(slots.indices, changes) {
                slots[index].presence.observe(change)
                slots[index].waiters.wakeAll()
            }
        case .hardwareError(let slot, _, let code):
            guard Int(slot) < slots.count else { return }
            slots[Int(slot)].power.noteHardwareFault(code)
            // No command in progress will find it: power the slot off, after the command of another slot.
            if commandedSlot != slot, slots[Int(slot)].power.isOn {
                Task { await takePowerAfterFault(slot, code) }
            }
        }
    }
}
