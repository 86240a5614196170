public import Determinism
public import USB

/// A USB smart card reader (CCID 1.1) and its slots.
///
/// One command is under way at a time in the whole reader, whatever bMaxCCIDBusySlots allows: the answers
/// of all slots come through one pipe, and a read that is cancelled for one slot could take another slot's
/// answer with it. A command ends in one of two ways only: with its answer, or with the reader idle again.
///
/// Call ``close()`` when done; until then the reader listens to its interrupt endpoint.
public actor CCIDReader {
    enum Lifetime: Hashable { case open, gone, dead, closed }

    /// The device, as its descriptors tell.
    public nonisolated let device: USBDevice
    /// The reader's interface in the device.
    public nonisolated let interface: CCIDInterface
    /// What is known of the reader besides its descriptors.
    public nonisolated let quirks: ReaderQuirks
    let behaviour: ReaderBehaviour
    let transport: any USBTransport
    let time: any TimeSource
    let timing: CCIDTiming
    let onRecovery: @Sendable (CCIDRecoveryStep) -> Void
    /// The most bytes of one answer: whole packets, or an answer could not end where its buffer does.
    let readLength: Int
    let pipe = CommandGate()

    var lifetime = Lifetime.open
    /// How long the machine had slept when that was looked at last.
    var timeAsleep: Duration
    /// The same when the reader last showed that it had survived that.
    var timeAsleepSurvived: Duration
    /// Whether the machine slept between the reader's last sign of life and its end.
    public internal(set) var hasEndedBySleep = false
    /// Number of the next message, unless it is ``owed``.
    var sequence: UInt8 = 0
    /// Numbers of messages that may still be answered: the one under way, and those that were given up at a reader that
    /// has not confirmed that it gave them up, too.
    var owed: Set<UInt8> = []
    /// Of the answer that was taken last; nil before the first.
    var taken: TakenAnswer?
    /// The outgoing message; its storage is used again and wiped after each command.
    var outgoing: [UInt8] = []
    var slots: [CCIDSlotState]
    /// Whether the reader has told of a slot by itself, and is still listened to.
    var isNotifying = false
    /// The slot whose command is under way; nil while none is.
    var commandedSlot: UInt8?
    /// How long the machine had slept when a read of notices ended as if the device were gone; nil when it gave a sign
    /// of life since.
    var lostAfterSleep: Duration?
    private var listener: Task<Void, Never>?
    private var closing: Task<Void, Never>?

    /// Opens a reader and brings it to rest, whatever an earlier program left it in.
    ///
    /// - Parameters:
    ///   - device: one of the bus's devices.
    ///   - bus: where the device is.
    ///   - interface: which of the device's ``CCIDInterface/all(in:quirks:)``; nil takes the first.
    ///   - timing: how long to wait for what.
    ///   - quirks: what is known of readers besides their descriptors.
    ///   - time: for the deadlines that span several transfers, and for looking into the slot now and then.
    ///   - onRecovery: told each step that is taken when the reader does not answer, as it begins. It must not block.
    /// - Returns: the reader, idle and listened to.
    /// - Throws: ``CCIDError/descriptor(_:)``, ``CCIDError/firmwareRefused(_:fix:)``, ``CCIDError/usb(_:)``,
    ///   ``CCIDError/timedOut(_:)``, ``CCIDError/cancelled``, ``CCIDError/readerGone``, ``CCIDError/readerDead``
    public static func open(
        _ device: USBDevice, on bus: any USBBus, interface: CCIDInterface? = nil, timing: CCIDTiming = CCIDTiming(),
        quirks: ReaderQuirkTable = .embedded, time: any TimeSource,
        onRecovery: @escaping @Sendable (CCIDRecoveryStep) -> Void = { _ in }
    ) async throws(CCIDError) -> CCIDReader {
        let transport: any USBTransport
        do throws(USBError) {
            transport = try await bus.open(device)
        } catch {
            throw CCIDError(transfer: error)
        }
        do throws(CCIDError) {
            return try await CCIDReader.start(
                transport, interface, timing, quirks.quirks(of: transport.device.descriptor), time, onRecovery)
        } catch {
            await transport.close()
            throw error
        }
    }

    private static func start(
        _ transport: any USBTransport, _ wanted: CCIDInterface?, _ timing: CCIDTiming, _ quirks: ReaderQuirks,
        _ time: any TimeSource, _ onRecovery: @escaping @Sendable (CCIDRecoveryStep) -> Void
    ) async throws(CCIDError) -> CCIDReader {
        if let fix = quirks.refusal {
            throw .firmwareRefused(ReaderRelease(rawValue: transport.device.descriptor.release), fix: fix)
        }
        let present: [CCIDInterface]
        let interface: CCIDInterface
        do throws(CCIDDescriptorError) {
            present = try CCIDInterface.all(in: transport.device, quirks)
            let chosen = wanted.map { wanted in present.first { $0.number == wanted.number } } ?? present.first
            guard let chosen else { throw .noInterface }
            interface = chosen
        } catch {
            throw .descriptor(error)
        }
        let behaviour = ReaderBehaviour(quirks, timing)
        let others = behaviour.takesEveryInterface ? present.map(\.number).filter { $0 != interface.number } : []
        do throws(USBError) {
            for number in [interface.number] + others { try await transport.claim(interface: number) }
        } catch {
            throw CCIDError(transfer: error)
        }
        let reader = CCIDReader(transport, interface, quirks, behaviour, timing, time, onRecovery)
        try await reader.comeToRest()
        await reader.listen()
        return reader
    }

    private init(
        _ transport: any USBTransport, _ interface: CCIDInterface, _ quirks: ReaderQuirks,
        _ behaviour: ReaderBehaviour, _ timing: CCIDTiming, _ time: any TimeSource,
        _ onRecovery: @escaping @Sendable (CCIDRecoveryStep) -> Void
    ) {
        (self.transport, self.interface, self.timing, self.time) = (transport, interface, timing, time)
        (self.quirks, self.behaviour) = (quirks, behaviour)
        self.onRecovery = onRecovery
        timeAsleep = time.timeAsleep()
        timeAsleepSurvived = timeAsleep
        device = transport.device
        let packet = max(1, Int(interface.bulkIn.maximumPacketSize))
        // Below extended APDU level no answer is longer than 271 bytes; half a kilobyte leaves room for
        // a reader that says more of itself than it should.
        let longest = interface.descriptor.level == .extendedAPDU ? interface.descriptor.usableMessageLength : 512
        readLength = (longest + packet - 1) / packet * packet
        slots = (0...interface.descriptor.maximumSlotIndex).map { _ in CCIDSlotState() }
    }

    /// Number of slots.
    public nonisolated var slotCount: Int { Int(interface.descriptor.maximumSlotIndex) + 1 }

    /// Switches the cards off and gives the device back. A command that is under way has ``CCIDTiming/abort`` to end;
    /// then it is ended, and the cards are left as they are. May be called more than once, and from a cancelled task:
    /// it returns when the device is closed.
    public func close() async {
        let closing = closing ?? Task { await shutDown() }
        self.closing = closing
        await closing.value
    }

    private func shutDown() async {
        let isIdle = lifetime == .open ? await acquirePipe(within: timing.abort) : false
        if isIdle {
            for slot in slots.indices where slots[slot].session != nil {
                slots[slot].session = nil
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

    /// No command is possible from now on.
    func end(_ ending: Lifetime) {
        if lifetime == .open { hasEndedBySleep = time.timeAsleep() - timeAsleepSurvived >= Self.shortestSleep }
        if lifetime != .closed { lifetime = ending }
        isNotifying = false
        for slot in slots.indices {
            slots[slot].session = nil
            wakeWaiters(slot)
        }
    }

    /// - Throws: ``CCIDError/readerGone``, ``CCIDError/readerDead``, ``CCIDError/closed``
    func requireOpen() throws(CCIDError) {
        if let ending { throw ending }
    }

    /// Why no command is possible any more; nil while the reader is open.
    public var ending: CCIDError? {
        switch lifetime {
        case .open: nil
        case .gone: .readerGone
        case .dead: .readerDead
        case .closed: .closed
        }
    }

    /// - Throws: ``CCIDError/noSuchSlot(_:)``
    func index(_ slot: UInt8) throws(CCIDError) -> Int {
        guard Int(slot) < slots.count else { throw .noSuchSlot(slot) }
        return Int(slot)
    }

    /// Resets the device while nobody listens. The kernel ends the transfers of an interface that is claimed as if the
    /// device were gone (-ESHUTDOWN), and a read that begins in the middle would claim it a second time.
    func reset() async throws(USBError) {
        let heard = listener
        heard?.cancel()
        await heard?.value
        listener = nil
        defer { if heard != nil { listen() } }
        try await transport.reset()
    }

    private func listen() {
        guard let endpoint = interface.interrupt, behaviour.heedsNotifications, listener == nil, lifetime == .open
        else { return }
        listener = Task { await takeNotifications(from: endpoint) }
    }
}

extension CCIDError {
    /// What a failed transfer means for the reader.
    init(transfer error: USBError) {
        switch error {
        case .disconnected: self = .readerGone
        case .cancelled: self = .cancelled
        default: self = .usb(error)
        }
    }
}
