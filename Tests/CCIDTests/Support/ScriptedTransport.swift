import Determinism
import Synchronization
import USB

/// A reader that plays a script: what must come out, and what comes in. One line a step:
///
///     > 65 00000000 00 01 000000     these bytes are written
///     >! stalled 6F ...              these bytes are written, and the transfer fails
///     < 81 00000000 00 01 000000     a read brings these bytes; "<" alone is an empty transfer
///     <! timedOut                    a read fails; a time-out lets the clock run
///     <~                             a read ends only when its task is cancelled
///     C 0300                         the ABORT request with this wValue
///     C! stalled 0300                the same, and it fails
///     H 82 / H! 82                   the halt of an endpoint is cleared / and the device refuses that
///     R / R!                         the device is reset / and does not come back
///     + 300                          milliseconds go by
///     N 5003 / N! stalled            the interrupt endpoint brings this / fails so
final class ScriptedTransport: USBTransport {
    private struct State {
        var steps: [String] = []
        var problems: [String] = []
        var readTimeouts: [Duration] = []
        var claimed: [UInt8] = []
        var closings = 0
        var notices: [Result<[UInt8], USBError>] = []
        var listener: CheckedContinuation<Result<[UInt8], USBError>, Never>?
        var hanging: CheckedContinuation<Result<[UInt8], USBError>, Never>?
    }

    let device: USBDevice
    private let time: VirtualTimeSource
    private let state = Mutex(State())

    init(_ device: USBDevice, _ time: VirtualTimeSource) { (self.device, self.time) = (device, time) }

    func append(_ lines: [String]) { state.withLock { $0.steps += lines } }

    var problems: [String] { state.withLock { $0.problems } }
    var remaining: [String] { state.withLock { $0.steps } }
    var readTimeouts: [Duration] { state.withLock { $0.readTimeouts } }
    var claimed: [UInt8] { state.withLock { $0.claimed } }
    var closings: Int { state.withLock { $0.closings } }
    var isHanging: Bool { state.withLock { $0.hanging != nil } }
    /// Everything that was told has been heard.
    var isListening: Bool { state.withLock { $0.listener != nil && $0.notices.isEmpty } }

    /// The read that hangs brings these bytes.
    func answer(_ bytes: [UInt8]) { endHanging(.success(bytes)) }

    func notify(_ notice: Result<[UInt8], USBError>) {
        let listener = state.withLock { state in
            let listener = state.listener
            state.listener = nil
            if listener == nil { state.notices.append(notice) }
            return listener
        }
        listener?.resume(returning: notice)
    }

    private static func error(_ name: Substring) -> USBError {
        switch name {
        case "timedOut": .timedOut
        case "stalled": .stalled
        case "disconnected": .disconnected
        case "overflow": .overflow
        default: .other(String(name))
        }
    }

    /// The rest of the next step, which must be one of `kinds`.
    private func next(_ kinds: String..., doing action: String) async throws(USBError) -> (
        kind: String, rest: Substring
    ) {
        while true {
            let line = state.withLock { $0.steps.isEmpty ? nil : $0.steps.removeFirst() }
            guard let line else { throw problem("\(action) at the end of the script") }
            let kind = line.prefix { $0 != " " }
            let rest = line.dropFirst(kind.count + 1)
            switch kind {
            case "+": time.advance(by: .milliseconds(Int(rest) ?? 0))
            case "N", "N!":
                notify(kind == "N" ? .success(hex(String(rest))) : .failure(Self.error(rest)))
                for _ in 0..<100_000 where !isListening { await Task.yield() }
            case _ where kinds.contains(String(kind)): return (String(kind), rest)
            default: throw problem("\(action) instead of \(line)")
            }
        }
    }

    private func problem(_ text: String) -> USBError {
        state.withLock { $0.problems.append(text) }
        return .other(text)
    }

    /// Splits "error bytes".
    private static func failing(_ rest: Substring) -> (USBError, [UInt8]) {
        let name = rest.prefix { $0 != " " }
        return (error(name), hex(String(rest.dropFirst(name.count + 1))))
    }

    func claim(interface: UInt8) async throws(USBError) { state.withLock { $0.claimed.append(interface) } }
    func release(interface: UInt8) async throws(USBError) {}

    func bulkOut(_ bytes: [UInt8], endpoint: UInt8, timeout: Duration) async throws(USBError) {
        // Like libusb, nothing starts in a cancelled task.
        guard !Task.isCancelled else { throw .cancelled }
        let action = "write \(hex(bytes)) to \(endpoint)"
        let step = try await next(">", ">!", doing: action)
        let (failure, wanted) = step.kind == ">" ? (nil, hex(String(step.rest))) : Self.failing(step.rest)
        guard endpoint == 0x03, bytes == wanted else { throw problem("\(action) instead of \(hex(wanted))") }
        if failure == .timedOut { time.advance(by: timeout) }
        if let failure { throw failure }
    }

    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        guard !Task.isCancelled else { throw .cancelled }
        state.withLock { $0.readTimeouts.append(timeout) }
        let step = try await next("<", "<!", "<~", doing: "read from \(endpoint)")
        guard endpoint == 0x82, maximumLength % 64 == 0 else { throw problem("read from \(endpoint)") }
        switch step.kind {
        case "<": return hex(String(step.rest))
        case "<!":
            let error = Self.error(step.rest)
            if error == .timedOut { time.advance(by: timeout) }
            throw error
        default:
            return try await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    state.withLock { $0.hanging = continuation }
                    if Task.isCancelled { endHanging() }
                }
            } onCancel: {
                endHanging()
            }.get()
        }
    }

    private func endHanging(_ result: Result<[UInt8], USBError> = .failure(.cancelled)) {
        let hanging = state.withLock { state in
            defer { state.hanging = nil }
            return state.hanging
        }
        hanging?.resume(returning: result)
    }

    func interruptIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        let notice = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let notice: Result<[UInt8], USBError>? = state.withLock { state in
                    if state.closings > 0 { return .failure(.disconnected) }
                    guard state.notices.isEmpty else { return state.notices.removeFirst() }
                    state.listener = continuation
                    return nil
                }
                if let notice { continuation.resume(returning: notice) }
                if Task.isCancelled { endListening(.cancelled) }
            }
        } onCancel: {
            endListening(.cancelled)
        }
        return try notice.get()
    }

    private func endListening(_ error: USBError) {
        let listener = state.withLock { $0.listener.take() }
        listener?.resume(returning: .failure(error))
    }

    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8] {
        guard !Task.isCancelled else { throw .cancelled }
        let action = "control \(request)"
        let step = try await next("C", "C!", doing: action)
        let (failure, value) = step.kind == "C" ? (nil, hex(String(step.rest))) : Self.failing(step.rest)
        let wanted = USBControlRequest.output(
            type: 0x21, request: 1, value: UInt16(value[0]) << 8 | UInt16(value[1]), index: 0, data: [])
        guard request == wanted else { throw problem("\(action) instead of \(wanted)") }
        if let failure { throw failure }
        return []
    }

    func clearHalt(endpoint: UInt8) async throws(USBError) {
        if endpoint == 0x81 { return }
        let step = try await next("H", "H!", doing: "clear the halt of \(endpoint)")
        guard hex(String(step.rest)) == [endpoint] else { throw problem("halt of \(endpoint) cleared") }
        if step.kind == "H!" { throw .other("refused") }
    }

    func reset() async throws(USBError) {
        let step = try await next("R", "R!", doing: "reset")
        // As Linux has it: what waits on the interface ends as if the device were gone.
        endListening(.disconnected)
        if step.kind == "R!" { throw .disconnected }
    }

    func close() async {
        state.withLock { $0.closings += 1 }
        endHanging()
        notify(.failure(.disconnected))
    }
}

/// A bus with one device.
struct ScriptedBus: USBBus {
    let transport: ScriptedTransport

    func devices() async throws(USBError) -> [USBDevice] { [transport.device] }
    func hotplugEvents() -> AsyncStream<USBHotplugEvent> { AsyncStream { $0.finish() } }
    func open(_ device: USBDevice) async throws(USBError) -> any USBTransport { transport }
}
