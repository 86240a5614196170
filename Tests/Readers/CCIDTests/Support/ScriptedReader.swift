import CCID
import Determinism
import SmartCard
import Synchronization
import Testing
import USB

/// An open reader over a scripted device.
struct Rig {
    let transport: ScriptedTransport
    let time: VirtualTimeSource
    let recovery = RecoveryLog()
    let reader: CCIDReader

    /// QEMU's reader: T=0 only, TPDU level, everything automatic, a message length that is a lie.
    static let qemuDescriptor = hex(
        "36 21 10 01 00 07 01000000 A00F0000 00000000 01 80250000 00C20100 00 FE000000 00000000 00000000"
            + "FE040100 12000100 FF FF 0000 01 01")

    static func device(_ descriptor: [UInt8], interrupt: Bool = false) -> USBDevice {
        var endpoints = [
            USBEndpoint(address: 0x82, kind: .bulk, maximumPacketSize: 64),
            USBEndpoint(address: 0x03, kind: .bulk, maximumPacketSize: 64),
        ]
        if interrupt { endpoints.append(USBEndpoint(address: 0x81, kind: .interrupt, maximumPacketSize: 64)) }
        return USBDevice(
            bus: 1, address: 2, descriptor: USBDeviceDescriptor(vendorID: 0x08E6, productID: 0x4433, release: 0),
            configuration: USBConfiguration(
                value: 1,
                interfaces: [
                    USBInterface(number: 0, classCode: 0x0B, endpoints: endpoints, classDescriptors: [descriptor])
                ]))
    }

    /// Opens the reader; that takes sequence number 0.
    init(
        _ descriptor: CCIDClassDescriptor, interrupt: Bool = false, timing: CCIDTiming = CCIDTiming(),
        clock: (any TimeSource)? = nil, quirks: ReaderQuirkTable = .none,
        opening: [String] = ["> 65 00000000 00 00 000000", "< 81 00000000 00 00 01 00 00"], _ script: [String]
    ) async throws {
        time = VirtualTimeSource()
        transport = ScriptedTransport(Self.device(descriptor.bytes, interrupt: interrupt), time)
        transport.append(opening + script)
        reader = try await CCIDReader.open(
            transport.device, on: ScriptedBus(transport: transport), timing: timing, quirks: quirks,
            time: clock ?? time, onRecovery: recovery.append)
        if interrupt { await until { transport.isListening } }
    }

    /// A reader of some level whose host sets parameters, for one slot.
    init(
        _ level: CCIDExchangeLevel, features: CCIDFeatures = [], interrupt: Bool = false, _ script: [String]
    ) async throws {
        try await self.init(CCIDClassDescriptor(level: level, features: features), interrupt: interrupt, script)
    }

    func until(_ condition: () -> Bool) async {
        for _ in 0..<1_000_000 {
            if condition() { return }
            await Task.yield()
        }
        Issue.record("it never happened")
    }

    /// Everything in the script happened, and nothing else.
    func expectDone(_ location: SourceLocation = #_sourceLocation) async {
        #expect(transport.problems == [], sourceLocation: location)
        #expect(transport.remaining == [], sourceLocation: location)
        await transport.close()
    }
}

/// EMV cards' answers to reset.
enum TestATR {
    static let t0 = "3B600000"
    /// TA1 = 13: four times the initial rate.
    static let fastT0 = "3B70130000"
    static let t1 = "3BE000FF8131FE4514"
    static let t0ThenT1 = "3BE000008031FE45EA"
    /// TA2: T=0 at TA1 = 12, without negotiation.
    static let specificT0 = "3BF01200001000"
}

private func message(_ type: String, _ sequence: Int, _ specific: String, _ data: String, slot: Int = 0) -> String {
    let bytes = hex(data)
    return type + hex([UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8), 0, 0]) + hex([UInt8(slot), UInt8(sequence)])
        + hex(hex(specific)) + hex(bytes)
}

/// Sends a block to the card: bBWI and wLevelParameter, then the data.
func block(_ sequence: Int, _ data: String, _ specific: String = "00 0000", slot: Int = 0) -> String {
    "> " + message("6F", sequence, specific, data, slot: slot)
}

/// Asks the reader for a PIN: bBWI and wLevelParameter are zero, the data is a PIN data structure.
func secure(_ sequence: Int, _ data: String) -> String { "> " + message("69", sequence, "000000", data) }

/// A data block from the reader: bStatus, bError, bChainParameter, then the data.
func answer(_ sequence: Int, _ data: String, _ specific: String = "00 00 00", slot: Int = 0) -> String {
    "< " + message("80", sequence, specific, data, slot: slot)
}

/// A command without data, and the slot status that answers it.
func status(_ type: String, _ sequence: Int, _ specific: String = "00 00 00", slot: Int = 0) -> [String] {
    [
        "> " + message(type, sequence, "000000", "", slot: slot),
        "< " + message("81", sequence, specific, "", slot: slot),
    ]
}

/// PowerOn of a slot that has an inactive card: status, power, ATR.
func power(_ sequence: Int, _ atr: String, select: String = "01", slot: Int = 0) -> [String] {
    status("65", sequence, "01 00 00", slot: slot) + reset(sequence + 1, atr, select: select, slot: slot)
}

func reset(_ sequence: Int, _ atr: String, select: String = "01", slot: Int = 0) -> [String] {
    ["> " + message("62", sequence, select + "0000", "", slot: slot), answer(sequence, atr, slot: slot)]
}

/// SetParameters and its echo.
func parameters(
    _ sequence: Int, _ number: String, _ data: String, _ specific: String = "00 00", slot: Int = 0
) -> [String] {
    [
        "> " + message("61", sequence, number + "0000", data, slot: slot),
        "< " + message("82", sequence, specific + number, data, slot: slot),
    ]
}

/// The pair of messages that aborts, and the reader's confirmation.
func abort(_ sequence: Int, slot: Int = 0) -> [String] {
    ["C " + hex([UInt8(sequence), UInt8(slot)])] + status("72", sequence, slot: slot)
}

/// Ready for T=0 commands from sequence number 4 on, at TPDU level with parameters set by the host.
let readyForT0 = power(1, TestATR.t0) + parameters(3, "00", "1100000A00")

/// A reader that plays a script: what must come out, and what comes in. One line a step:
///
///     > 65 00000000 00 01 000000     these bytes are written
///     >! stalled 6F ...              these bytes are written, and the transfer fails
///     < 81 00000000 00 01 000000     a read brings these bytes; "<" alone is an empty transfer
///     <! timedOut                    a read fails; a time-out lets the clock run
///     <~                             a read ends only when its task is canceled
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
    /// All notifications have been processed.
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
        // Like libusb, nothing starts in a canceled task.
        guard !Task.isCancelled else { throw .canceled }
        let action = "write \(hex(bytes)) to \(endpoint)"
        let step = try await next(">", ">!", doing: action)
        let (failure, wanted) = step.kind == ">" ? (nil, hex(String(step.rest))) : Self.failing(step.rest)
        guard endpoint == 0x03, bytes == wanted else { throw problem("\(action) instead of \(hex(wanted))") }
        if failure == .timedOut { time.advance(by: timeout) }
        if let failure { throw failure }
    }

    func bulkIn(endpoint: UInt8, maximumLength: Int, timeout: Duration) async throws(USBError) -> [UInt8] {
        guard !Task.isCancelled else { throw .canceled }
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

    private func endHanging(_ result: Result<[UInt8], USBError> = .failure(.canceled)) {
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
                if Task.isCancelled { endListening(.canceled) }
            }
        } onCancel: {
            endListening(.canceled)
        }
        return try notice.get()
    }

    private func endListening(_ error: USBError) {
        let listener = state.withLock { $0.listener.take() }
        listener?.resume(returning: .failure(error))
    }

    func control(_ request: USBControlRequest, timeout: Duration) async throws(USBError) -> [UInt8] {
        guard !Task.isCancelled else { throw .canceled }
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

/// The recovery steps that a reader reported.
final class RecoveryLog: Sendable {
    private let stored = Mutex<[CCIDRecoveryStep]>([])
    var steps: [CCIDRecoveryStep] { stored.withLock { $0 } }
    func append(_ step: CCIDRecoveryStep) { stored.withLock { $0.append(step) } }
}

/// The time of a machine that can be put to sleep.
final class SleepingClock: TimeSource {
    private let base = VirtualTimeSource()
    private let asleep = Mutex(Duration.zero)

    func now() -> Timestamp { base.now() }
    func offsetSeconds(at moment: Timestamp) -> Int { 0 }
    func sleep(for duration: Duration) async throws(CancellationError) { try await base.sleep(for: duration) }
    func timeAsleep() -> Duration { asleep.withLock { $0 } }

    func suspend(for duration: Duration) {
        asleep.withLock { $0 += duration }
        base.advance(by: duration)
    }
}

/// A stopped clock: its waits end only by cancellation.
struct StandingClock: TimeSource {
    func now() -> Timestamp { VirtualTimeSource.standardStart }
    func offsetSeconds(at moment: Timestamp) -> Int { 0 }

    func sleep(for duration: Duration) async throws(CancellationError) {
        let never = AsyncStream<Never> { _ in }
        for await _ in never {}
        throw CancellationError()
    }
}
