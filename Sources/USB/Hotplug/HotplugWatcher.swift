internal import Determinism
internal import Synchronization

/// Looks at the kernel's devices when something may have happened to them, and tells one consumer what came and went.
/// In between it does nothing.
final class HotplugWatcher: Sendable {
    private struct State {
        var register: HotplugRegister?
        var watches: [FileDescriptorWatch] = []
        var followUp: Task<Void, Never>?
        /// Something happened since the last look of the follow-up.
        var hasNews = false
        var isStopped = false
    }

    /// A device needs a moment from the first message about it until it can be used, and another one until its
    /// directory is gone. So after a message the list is looked at again, each time after twice the time: three times,
    /// and for as long as a device waits to be ready.
    private static let firstFollowUp = Duration.milliseconds(20)
    private static let lastFollowUp = Duration.milliseconds(80)
    /// Between two looks where nothing tells that something happened.
    private static let pollInterval = Duration.seconds(5)

    private let kernel: KernelDeviceList
    private let time: any TimeSource
    private let calls: BlockingCalls
    private let events: AsyncStream<USBHotplugEvent>.Continuation
    private let state = Mutex(State())

    /// - Parameters:
    ///   - kernel: looked at.
    ///   - calls: where looks are made, one after the other.
    ///   - time: waited on between looks.
    ///   - events: gets what came and went.
    init(
        _ kernel: KernelDeviceList, on calls: BlockingCalls, time: any TimeSource,
        events: AsyncStream<USBHotplugEvent>.Continuation
    ) {
        (self.kernel, self.calls, self.time, self.events) = (kernel, calls, time, events)
    }

    /// Begins with the devices that are there now.
    ///
    /// - Parameter signals: what tells that something may have happened. Without one that works here, the list is
    ///   looked at every few seconds.
    func start(_ signals: [any DeviceChangeSignal]) {
        let watches = signals.compactMap { signal in signal.observe { [weak self] in self?.noteChange() } }
        state.withLock { $0.watches = watches }
        // Queued before anything that the caller asks for next, and after the watches began: no device falls in between.
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

    /// Looks again until everything that was seen has arrived.
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

    /// Looks once. A look that fails changes nothing: the next one sees more.
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
                // A configuration that is wrong will not get better.
                ($0.configuration != nil || faulty.contains($0)) && KernelDeviceList.isAccessible($0)
                    && $0.hasSettledHID
            }
            // Under the lock, so that the consumer sees them in the order in which they happened.
            for event in news ?? [] { events.yield(event) }
        }
    }
}
