import Determinism
import Synchronization
import USB

/// An open simulated device. ``SimulationClock`` describes its timing.
final class SimulatedUSBTransport: USBTransport {
    private struct State {
        var isClosed = false
        var running = 0
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    let device: USBDevice
    private let port: SimulatedUSBPort
    private let clock: SimulationClock
    private let handles: OpenHandles
    private let state = Mutex(State())

    init(port: SimulatedUSBPort, clock: SimulationClock, handles: OpenHandles) {
        (self.port, self.clock, self.handles) = (port, clock, handles)
        device = port.device
        handles.add()
        port.simulated.opened()
    }

    deinit {
        port.releaseAll(by: owner)
        if !isClosed {
            handles.remove()
            port.simulated.closed()
        }
    }

    private var owner: ObjectIdentifier { ObjectIdentifier(self) }

    func claim(interface: UInt8) async throws(USBError) {
        try begin()
        defer { end() }
        try port.claim(interface: interface, by: owner)
    }

    func release(interface: UInt8) async throws(USBError) {
        try begin()
        defer { end() }
        try port.release(interface: interface, by: owner)
    }

    func bulkOut(_ bytes: [UInt8], endpoint: UInt8, timeout: Duration) async throws(USBError) {
        try begin()
        defer { end() }
        try port.check(endpoint, .bulk, owner)
        guard endpoint & 0x80 == 0 else { throw .notFound }
        guard port.write(bytes, endpoint: endpoint) else { throw .stalled }
    }

    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        try await read(endpoint, .bulk, maximumLength, timeout)
    }

    func interruptIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        try await read(endpoint, .interrupt, maximumLength, timeout)
    }

    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8] {
        try begin()
        defer { end() }
        guard let answer = port.control(request) else { throw .stalled }
        return answer
    }

    func clearHalt(endpoint: UInt8) async throws(USBError) {
        try begin()
        defer { end() }
        try port.clearHalt(endpoint)
    }

    func reset() async throws(USBError) {
        try begin()
        defer { end() }
        port.reset()
    }

    func close() async {
        let wasOpen = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        clock.signal()
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.running > 0 { state.closers.append(continuation) }
                return state.running == 0
            }
            if isIdle { continuation.resume() }
        }
        port.releaseAll(by: owner)
        if wasOpen {
            handles.remove()
            port.simulated.closed()
        }
    }

    private func read(
        _ endpoint: UInt8, _ kind: USBEndpoint.Kind, _ maximumLength: Int, _ timeout: Duration
    ) async throws(USBError) -> [UInt8] {
        try begin()
        defer { end() }
        guard endpoint & 0x80 != 0 else { throw .notFound }
        let deadline = clock.moment(after: timeout)
        while true {
            guard !Task.isCancelled, !isClosed else { throw .canceled }
            try port.check(endpoint, kind, owner)
            switch port.read(endpoint: endpoint, maximumLength: maximumLength) {
            case .data(let bytes): return bytes
            case .overflow: throw .overflow
            case .stall: throw .stalled
            case .notYet(let moment):
                guard clock.now() < deadline else { throw .timedOut }
                let isReady: @Sendable () -> Bool = { [self] in
                    isClosed || !port.isConnected || port.hasInput(endpoint: endpoint)
                }
                await clock.wait(until: min(moment ?? deadline, deadline), isReady: isReady)
            }
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func begin() throws(USBError) {
        clock.catchUp()
        guard !Task.isCancelled else { throw .canceled }
        let isOpen = state.withLock { state in
            if !state.isClosed { state.running += 1 }
            return !state.isClosed
        }
        guard isOpen else { throw .canceled }
        guard port.isConnected else {
            end()
            throw .disconnected
        }
    }

    private func end() {
        let closers = state.withLock { state in
            state.running -= 1
            guard state.running == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }
}
