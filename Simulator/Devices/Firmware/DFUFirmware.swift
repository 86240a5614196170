import Determinism

/// The device side of DFU (DFU 1.1 §6, appendix A): takes requests and returns answers, without knowing the bus or
/// waiting. The status announces how long an operation takes; a host that polls earlier gets a stall.
struct DFUFirmware: Sendable {
    enum State: UInt8, Sendable {
        case appIdle, appDetach, idle, downloadSync, downloadBusy, downloadIdle, manifestSync, manifest,
            manifestWaitReset
        case uploadIdle, error
    }

    /// The values of bStatus that this device uses.
    enum Status: UInt8, Sendable {
        case ok = 0x00
        case wrongTarget = 0x01
        case verify = 0x07
        case notDone = 0x09
        case firmwareCorrupt = 0x0A
        case stalledPacket = 0x0F
    }

    private(set) var state: State
    private(set) var status = Status.ok
    /// The firmware that runs at work; nil when none is valid.
    private(set) var installed: SimulatedFirmwareImage?
    /// The bytes of the blocks received so far.
    private(set) var received: [UInt8] = []
    private(set) var blocks = 0
    /// A fault that happens once.
    var fault: SimulatedFirmwareFault?

    private let habits: SimulatedFirmwareOptions
    /// When the current operation ends.
    private var busyUntil: Timestamp?
    private var detachUntil: Timestamp?

    init(_ habits: SimulatedFirmwareOptions) {
        self.habits = habits
        installed = SimulatedFirmwareImage(release: habits.release)
        state = .appIdle
    }

    /// Whether the device is in normal operation, not in update mode.
    var isAtWork: Bool { state == .appIdle || state == .appDetach }

    /// Handles power-up or a bus reset.
    ///
    /// - Returns: whether the mode changed, so that the device must re-enumerate.
    mutating func restart(at now: Timestamp, withPower: Bool) -> Bool {
        let wasAtWork = isAtWork
        if state == .manifest, busyUntil.map({ $0 <= now }) == true { takeIn() }
        (busyUntil, received, blocks) = (nil, [], 0)
        let wantsUpdate = state == .appDetach && detachUntil.map { now <= $0 } == true
        detachUntil = nil
        if wantsUpdate, !withPower {
            (state, status) = (.idle, .ok)
        } else if installed == nil {
            (state, status) = (.error, .firmwareCorrupt)
        } else {
            (state, status) = (.appIdle, .ok)
        }
        return wasAtWork != isAtWork
    }

    /// Whether the download is complete and the device is installing it.
    var isManifesting: Bool { state == .manifest }

    /// Enters update mode.
    mutating func enterUpdateMode() { (state, status, detachUntil) = (.idle, .ok, nil) }

    /// Answers a class request.
    ///
    /// - Returns: the bytes for the host; nil to stall.
    mutating func answer(_ request: UInt8, _ data: [UInt8], at now: Timestamp) -> [UInt8]? {
        switch (request, state) {
        case (3, _): return getStatus(at: now)
        case (5, _): return [state.rawValue]
        case (0, .appIdle):
            if fault == .doesNotDetach { return [] }
            (state, detachUntil) = (.appDetach, now.advanced(by: habits.detachTimeout))
            return []
        case (1, .idle), (1, .downloadIdle): return download(data, at: now)
        case (4, .error):
            (state, status) = (.idle, .ok)
            return []
        case (6, .idle), (6, .downloadSync), (6, .downloadIdle), (6, .manifestSync), (6, .uploadIdle):
            (state, received, blocks) = (.idle, [], 0)
            return []
        default: return refuse()
        }
    }

    /// The received share of a firmware of `total` bytes, in percent, 0...100.
    func percent(of total: Int) -> Int { total == 0 ? 100 : received.count * 100 / total }

    private mutating func refuse() -> [UInt8]? {
        if !isAtWork { (state, status) = (.error, .stalledPacket) }
        return nil
    }

    private mutating func fail(_ reason: Status) -> [UInt8]? {
        (state, status) = (.error, reason)
        return []
    }

    private mutating func download(_ data: [UInt8], at now: Timestamp) -> [UInt8]? {
        guard data.count <= habits.transferSize else { return refuse() }
        guard !data.isEmpty else {
            guard state == .downloadIdle else { return refuse() }
            state = .manifestSync
            return []
        }
        if fault == .refused, blocks == 0 {
            fault = nil
            return fail(.wrongTarget)
        }
        if fault == .stalled(block: blocks) {
            fault = nil
            return refuse()
        }
        let isFirst = blocks == 0
        if isFirst, !habits.keepsOldFirmware { installed = nil }
        received += data
        blocks += 1
        state = .downloadSync
        busyUntil = now.advanced(by: habits.blockTime + (isFirst ? habits.eraseTime : .zero))
        return []
    }

    private mutating func getStatus(at now: Timestamp) -> [UInt8]? {
        let left = busyUntil.map { max(0, $0.milliseconds - now.milliseconds) } ?? 0
        var pause: Int64 = 0
        switch state {
        case .downloadSync:
            if fault == .busyForever(block: blocks - 1) {
                pause = 50
            } else if left > 0 {
                (state, pause) = (.downloadBusy, left)
            } else {
                state = .downloadIdle
            }
        case .downloadBusy:
            // The host polled before the announced time.
            guard left == 0 else { return refuse() }
            state = .downloadIdle
        case .manifestSync:
            (state, pause) = (.manifest, Self.milliseconds(habits.manifestationTime))
            busyUntil = now.advanced(by: habits.manifestationTime)
        case .manifest:
            guard left == 0 else { return refuse() }
            takeIn()
            if state == .manifestWaitReset { return nil }
        case .manifestWaitReset: return nil
        default: break
        }
        let bytes = (0..<3).map { UInt8(truncatingIfNeeded: pause >> (8 * $0)) }
        return [status.rawValue] + bytes + [state.rawValue, 0]
    }

    /// Ends the manifestation phase.
    private mutating func takeIn() {
        let image = SimulatedFirmwareImage(received)
        if fault == .verificationFailed || image == nil {
            if fault == .verificationFailed { fault = nil }
            (state, status, received, blocks) = (.error, image == nil ? .firmwareCorrupt : .verify, [], 0)
            return
        }
        (installed, received, blocks) = (image, [], 0)
        state = habits.survivesManifestation ? .idle : .manifestWaitReset
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    }
}
