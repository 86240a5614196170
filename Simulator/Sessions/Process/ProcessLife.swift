import Determinism
import Hardware
import Synchronization
import USB

/// Tracks whether a process is alive. After its end, its connections reject every call and nothing it does is logged.
final class ProcessLife: Sendable {
    private struct State {
        var isAlive = true
        var mourners: [Int: @Sendable () -> Void] = [:]
        var lastMourner = 0
        var committedAttempts: [Int64] = []
    }

    /// The process's number in the session, from 1; the second till has numbers of its own, from 1001.
    let number: Int
    /// The till that it is a process of.
    let till: TillPlace
    private let log: SessionLog
    private let state = Mutex(State())

    init(number: Int, till: TillPlace = .first, log: SessionLog) {
        (self.number, self.till, self.log) = (number, till, log)
    }

    var isAlive: Bool { state.withLock { $0.isAlive } }

    /// The number of the attempt of each committed state, in the order of the commits; empty when the log keeps no
    /// events.
    var committedAttempts: [Int64] { state.withLock { $0.committedAttempts } }

    /// Notes a committed state of an attempt, by the detail of its event.
    func noteCommit(_ detail: String) {
        // The detail is `authorizing 1`.
        let words = detail.split(separator: " ")
        guard log.keepsEvents, words.count > 1, let attempt = Int64(words[1]) else { return }
        state.withLock { $0.committedAttempts.append(attempt) }
    }

    /// Logs an event of the process while it is alive.
    func note(_ kind: SessionEventKind, _ detail: String = "") {
        if isAlive { log.note(kind, detail, at: till) }
    }

    /// Whether somebody follows the session for the models.
    var isTraced: Bool { log.isTraced }

    /// Gives an event of the process to the tracer while the process is alive.
    func trace(_ event: @autoclosure () -> TracedEvent) {
        guard log.isTraced, isAlive else { return }
        var event = event()
        event.process = number
        log.trace(event)
    }

    /// Ends the process for good.
    func end() {
        let mourners = state.withLock { state in
            defer { (state.isAlive, state.mourners) = (false, [:]) }
            return state.mourners.sorted { $0.key < $1.key }.map(\.value)
        }
        for mourner in mourners { mourner() }
    }

    /// Runs `action` when the process ends, or immediately if it has ended.
    ///
    /// - Returns: what ``forget(_:)`` takes when the action is not needed any more.
    @discardableResult
    func onEnd(_ action: @escaping @Sendable () -> Void) -> Int {
        let (number, isOver) = state.withLock { state in
            state.lastMourner += 1
            if state.isAlive { state.mourners[state.lastMourner] = action }
            return (state.lastMourner, !state.isAlive)
        }
        if isOver { action() }
        return number
    }

    /// Runs an action of ``onEnd(_:)`` no more.
    func forget(_ action: Int) { state.withLock { $0.mourners[action] = nil } }
}

extension ProcessLife {
    /// Logs the events of a reader service.
    ///
    /// - Parameters:
    ///   - service: the reader service.
    ///   - isWanted: called with every event before it is logged; return false to leave the event out.
    /// - Returns: the tasks that log the events until they are canceled.
    func follow(
        _ service: any CardReaderService, isWanted: @escaping @Sendable (CardReaderEvent) -> Bool
    ) -> [Task<Void, Never>] {
        [
            Task {
                for await event in await service.readerEvents {
                    guard isWanted(event) else { continue }
                    let (kind, detail) = SessionEvent.words(event)
                    note(kind, detail)
                }
            },
            Task {
                for await state in await service.reconnectionStates {
                    if let words = SessionEvent.words(state) { note(.reconnection, words) }
                }
            },
            Task {
                for await state in await service.softwareUpdateEvents {
                    if let words = SessionEvent.words(state) { note(.update, words) }
                }
            },
        ]
    }
}

/// The USB bus as one process sees it. When the process ends, its open devices are closed, as an operating system does.
final class ProcessBus: USBBus {
    private let bus: any USBBus
    private let life: ProcessLife
    private let open = Mutex<[any USBTransport]>([])

    init(_ bus: any USBBus, _ life: ProcessLife) {
        (self.bus, self.life) = (bus, life)
        life.onEnd { [weak self] in self?.closeAll() }
    }

    private func closeAll() {
        let transports = open.withLock { open in
            defer { open = [] }
            return open
        }
        for transport in transports { Task { await transport.close() } }
    }

    func devices() async throws(USBError) -> [USBDevice] {
        try check()
        return try await bus.devices()
    }

    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { bus.hotplugEvents() }

    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        try check()
        let transport = try await bus.open(device)
        open.withLock { $0.append(transport) }
        return transport
    }

    func status(of device: USBDevice) async throws(USBError) -> USBDeviceStatus {
        try check()
        return try await bus.status(of: device)
    }

    func owners(of device: USBDevice, interface: UInt8?) async -> [USBDeviceOwner] {
        await bus.owners(of: device, interface: interface)
    }

    func mayOpen(vendorID: UInt16, productID: UInt16) async -> Bool {
        await bus.mayOpen(vendorID: vendorID, productID: productID)
    }

    private func check() throws(USBError) {
        guard life.isAlive else { throw .disconnected }
    }
}
