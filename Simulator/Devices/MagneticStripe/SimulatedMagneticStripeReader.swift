import CardSecrets
import Synchronization
public import USB

/// A USB magnetic stripe reader that sends reports on an interrupt endpoint, byte for byte as on the wire. Swipe a
/// card directly or from an event of the clock's schedule.
public final class SimulatedMagneticStripeReader: SimulatedUSBDevice {
    private struct State {
        var isPlugged = false
        var reports: [[UInt8]] = []
        /// Whether the host has polled again since it took the last report.
        var isDrained = false
        var faults: [SimulatedMSRFault] = []
        var unplug: (@Sendable () -> Void)?
        /// The number of reports left to read before the device is unplugged; nil if it stays.
        var readsLeft: Int?
    }

    public let model: SimulatedMSRModel
    private let clock: SimulationClock
    private static let endpoint: UInt8 = 0x81
    private let state = Mutex(State())

    /// Makes a reader that is not plugged in. Its times are those of `clock`.
    public init(model: SimulatedMSRModel, clock: SimulationClock) {
        (self.model, self.clock) = (model, clock)
    }

    /// Swipes a card. Does nothing while the device has no power.
    public func swipe(_ stripe: SimulatedMagneticStripe) {
        var reports = SwipeReports(kind: model.kind).reports(stripe)
        state.withLock { state in
            for fault in state.faults {
                switch fault {
                case .stall: continue
                case .cutOff(let count): reports = Array(reports.prefix(max(0, count)))
                case .truncated(let length): reports = reports.map { Array($0.prefix(max(0, length))) }
                case .unplugged(let count): state.readsLeft = max(0, count)
                }
            }
            state.faults.removeAll { $0 != .stall }
            if state.isPlugged { (state.reports, state.isDrained) = (state.reports + reports, false) }
        }
        clock.signal()
    }

    /// Sends a raw report, valid or not.
    public func send(_ report: [UInt8]) {
        state.withLock { if $0.isPlugged { ($0.reports, $0.isDrained) = ($0.reports + [report], false) } }
        clock.signal()
    }

    /// Whether the host has taken every report and polled again. By then it has processed each of them.
    public var isDrained: Bool { state.withLock { $0.isDrained } }

    /// Arms a fault.
    public func arm(_ fault: SimulatedMSRFault) {
        state.withLock { $0.faults.append(fault) }
        clock.signal()
    }

    // MARK: SimulatedUSBDevice

    public var descriptors: SimulatedUSBDescriptors { model.descriptors }

    public func plugged(unplug: @escaping @Sendable () -> Void) {
        state.withLock { ($0.isPlugged, $0.unplug) = (true, unplug) }
    }

    public func unplugged() {
        state.withLock { state in
            Self.wipe(&state.reports)
            (state.isPlugged, state.unplug, state.readsLeft) = (false, nil, nil)
        }
    }

    public func reset() { state.withLock { Self.wipe(&$0.reports) } }

    public func write(_ bytes: [UInt8], endpoint: UInt8) -> Bool { false }

    public func read(endpoint: UInt8, maximumLength: Int) -> SimulatedUSBInput {
        guard endpoint == Self.endpoint else { return .stall }
        let (input, unplug) = state.withLock { state -> (SimulatedUSBInput, (@Sendable () -> Void)?) in
            if let stall = state.faults.firstIndex(of: .stall) {
                state.faults.remove(at: stall)
                return (.stall, nil)
            }
            if state.readsLeft == 0 { return (.notYet(nil), state.unplug) }
            guard !state.reports.isEmpty else {
                state.isDrained = true
                return (.notYet(nil), nil)
            }
            let report = state.reports.removeFirst()
            state.readsLeft = state.readsLeft.map { $0 - 1 }
            return (report.count <= maximumLength ? .data(report) : .overflow, nil)
        }
        unplug?()
        return input
    }

    public func hasInput(endpoint: UInt8) -> Bool {
        state.withLock { !$0.reports.isEmpty || $0.faults.contains(.stall) || $0.readsLeft == 0 }
    }

    public func control(_ request: USBControlRequest) -> [UInt8]? {
        guard request.index == 0 else { return nil }
        switch (request.requestType, request.request, request.value >> 8) {
        // The report descriptor and the HID descriptor on its own.
        case (0x81, 0x06, 0x22): return model.reportDescriptor
        case (0x81, 0x06, 0x21):
            return model.hidDescriptor
        // SET_IDLE and SET_PROTOCOL; GET_IDLE and GET_PROTOCOL
        case (0x21, 0x0A, _): return []
        case (0x21, 0x0B, _), (0xA1, 0x03, _): return model.kind == .keyboard ? [] : nil
        case (0xA1, 0x02, _): return [0]
        default: return nil
        }
    }

    private static func wipe(_ reports: inout [[UInt8]]) {
        for index in reports.indices { reports[index].wipe() }
        reports = []
    }
}

/// A fault of a simulated magnetic stripe reader that happens once.
public enum SimulatedMSRFault: Hashable, Sendable {
    /// The next transfer stalls.
    case stall
    /// The swipe ends after this number of reports.
    case cutOff(afterReports: Int)
    /// The device is unplugged after the host read this number of reports of a swipe.
    case unplugged(afterReports: Int)
    /// The reports of a swipe are cut to this number of bytes.
    case truncated(to: Int)
}
