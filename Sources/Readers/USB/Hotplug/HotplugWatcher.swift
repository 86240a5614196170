import Determinism
import Synchronization

/// Reads the kernel's device list when a signal says that it may have changed, and sends arrivals and departures to one
/// consumer.
final class HotplugWatcher: Sendable {
    private struct State {
        var register: HotplugRegister?
        var watches: [FileDescriptorWatch] = []
        var followUp: Task<Void, Never>?
        /// A signal arrived since the last read of the follow-up.
        var hasNews = false
        var isStopped = false
    }

    /// A device needs a moment after the first message until it is usable, and its directory a moment until it is gone.
    /// So after a message the watcher reads the list again, each time after twice the pause: three times, and for as
    /// long as a device is not ready.
    private static let firstFollowUp = Duration.milliseconds(20)
    private static let lastFollowUp = Duration.milliseconds(80)
    /// Between two reads on a machine without signals.
    private static let pollInterval = Duration.seconds(5)

    private let kernel: KernelDeviceList
    private let time: any TimeSource
    private let calls: BlockingCalls
    private let events: AsyncStream<USBHotplugEvent>.Continuation
    private let state = Mutex(State())

    /// - Parameters:
    ///   - kernel: the device list.
    ///   - calls: runs the reads, one after the other.
    ///   - time: the clock of the pauses.
    ///   - events: receives arrivals and departures.
    init(
        _ kernel: KernelDeviceList, on calls: BlockingCalls, time: any TimeSource,
        events: AsyncStream<USBHotplugEvent>.Continuation
    ) {
        (self.kernel, self.calls, self.time, self.events) = (kernel, calls, time, events)
    }

    /// Starts with the devices that are plugged in now.
    ///
    /// - Parameter signals: the signals of changes. Without one that works here, the watcher reads the list every few
    ///   seconds.
    func start(_ signals: [any DeviceChangeSignal]) {
        let watches = signals.compactMap { signal in signal.observe { [weak self] in self?.noteChange() } }
        state.withLock { $0.watches = watches }
        // Queued before anything that the caller asks for next, and after the watches began: no device falls in
        // between.
        calls.start { [self] in look() }
        if watches.isEmpty { poll() }
    }

    func stop() {
        let (watches, followUp) = state.withLock { state in
            defer { (state.watches, state.followUp, state.isStopped) = ([], nil, true) }
            return (state.watches, state.followUp)
        }
        for watch in watches { watch.cancel() }
        followUp?.cancel()
    }

    private func noteChange() {
        calls.start { [weak self] in self?.look() }
        state.withLock { state in
            state.hasNews = state.followUp != nil
            guard state.followUp == nil, !state.isStopped else { return }
            state.followUp = Task { [weak self] in await self?.followUp() }
        }
    }

    /// Reads the list again until every device in it has arrived.
    private func followUp() async {
        var pause = Self.firstFollowUp
        while (try? await time.sleep(for: pause)) != nil {
            if takeNews() { pause = Self.firstFollowUp }
            try? await calls.run { [self] in look() }
            let isDone = state.withLock { state in
                let isOver = pause >= Self.lastFollowUp && !state.hasNews && state.register?.isWaiting != true
                if isOver { state.followUp = nil }
                return isOver
            }
            if isDone { return }
            pause *= 2
        }
    }

    private func takeNews() -> Bool {
        state.withLock { state in
            defer { state.hasNews = false }
            return state.hasNews
        }
    }

    private func poll() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.followUp = Task { [weak self, time] in
                while (try? await time.sleep(for: Self.pollInterval)) != nil {
                    guard let self else { return }
                    try? await calls.run { self.look() }
                }
            }
        }
    }

    /// Reads the list once. A failed read changes nothing.
    private func look() {
        guard let found = try? kernel.devices() else { return }
        let devices = found.map(\.device)
        let faulty = Set(found.filter { $0.fault != nil }.map(\.device))
        state.withLock { state in
            guard state.register != nil else {
                state.register = HotplugRegister(devices)
                return
            }
            let news = state.register?.update(devices, at: time.reading()) {
                // A malformed configuration stays malformed.
                ($0.configuration != nil || faulty.contains($0)) && KernelDeviceList.isAccessible($0)
                    && $0.hasSettledHID
            }
            // Under the lock, so that the consumer sees them in the order in which they happened.
            for event in news ?? [] { events.yield(event) }
        }
    }
}

/// Turns successive device lists into arrivals and departures. However often the list is read, a device arrives once
/// and leaves once. A device without a configuration on arrival, for example one blocked by USBGuard, arrives again
/// when it has one.
struct HotplugRegister {
    private struct Place: Hashable {
        let bus: UInt8
        let address: UInt8
    }

    /// How long a device may take from being listed to being ready. The kernel lists it before it has a configuration,
    /// and udevd grants the permission some milliseconds later still. A slower device is reported as it is.
    static let readyTimeout = Duration.seconds(1)

    private var known: [Place: USBDevice] = [:]
    /// Devices that are not ready, with the time they were first listed.
    private var waiting: [Place: Duration] = [:]

    /// Starts with the devices that are plugged in already; they do not arrive.
    init(_ devices: [USBDevice]) {
        for device in devices { known[Place(bus: device.bus, address: device.address)] = device }
    }

    /// Whether a listed device has not arrived yet: the list must be read again.
    var isWaiting: Bool { !waiting.isEmpty }

    /// Takes in the current device list.
    ///
    /// - Parameters:
    ///   - devices: the devices that are plugged in.
    ///   - now: a reading of the clock.
    ///   - isReady: whether a device can be opened and used.
    /// - Returns: departures, then arrivals.
    mutating func update(
        _ devices: [USBDevice], at now: Duration, isReady: (USBDevice) -> Bool
    ) -> [USBHotplugEvent] {
        var departures: [USBHotplugEvent] = []
        var arrivals: [USBHotplugEvent] = []
        var absent = known
        var stillWaiting: [Place: Duration] = [:]
        for device in devices {
            let place = Place(bus: device.bus, address: device.address)
            let before = absent.removeValue(forKey: place)
            if let before {
                if before.descriptor != device.descriptor {
                    departures.append(.left(before))
                } else if before.configuration != nil || device.configuration == nil {
                    continue
                }
                // A device that was let onto the bus late can be used only now: it arrives as what it is.
                known[place] = nil
            }
            let seen = waiting[place] ?? now
            if now - seen < Self.readyTimeout, !isReady(device) {
                stillWaiting[place] = seen
            } else {
                known[place] = device
                arrivals.append(.arrived(device))
            }
        }
        for device in absent.values.sorted(by: { ($0.bus, $0.address) < ($1.bus, $1.address) }) {
            known[Place(bus: device.bus, address: device.address)] = nil
            departures.append(.left(device))
        }
        waiting = stillWaiting
        return departures + arrivals
    }
}
