import Synchronization
public import USB

/// A bus of simulated devices. Plug devices in and out directly or from the clock's schedule. A device takes the
/// first free port and gets a new address each time.
public final class SimulatedUSBBus: USBBus {
    private struct State {
        var ports: [SimulatedUSBPort] = []
        var lastAddress: UInt8 = 0
        var subscribers: [Int: [USBHotplugEvent]] = [:]
        var lastSubscriber = 0
    }

    /// The bus number that devices report.
    public static let number: UInt8 = 1
    /// The maximum number of devices: addresses have seven bits, and 0 is not assigned (USB 2.0 §9.4.6).
    public static let maximumDeviceCount = 127

    /// The clock of everything on this bus.
    public let clock: SimulationClock
    private let handles = OpenHandles()
    private let state = Mutex(State())

    /// The number of open device handles, including those of unplugged devices.
    public var openHandles: Int { handles.count }
    /// The number of devices with a claimed interface.
    public var claimedDevices: Int { ports.count { !$0.isFree } }

    /// Makes a bus without devices. Times on it are those of `clock`.
    public init(clock: SimulationClock = SimulationClock()) { self.clock = clock }

    /// Plugs a device in. Does nothing if it is plugged in already. A device for which no address is left is not
    /// listed and has address 0.
    ///
    /// - Parameters:
    ///   - simulated: the device.
    ///   - preferred: the port, counted from 1. If it is taken, the device gets the first free port.
    /// - Returns: the device as the host sees it.
    @discardableResult
    public func plug(_ simulated: any SimulatedUSBDevice, port preferred: Int = 1) -> USBDevice {
        let (port, isNew) = state.withLock { state in
            if let port = state.ports.first(where: { $0.simulated === simulated }) { return (port, false) }
            let used = Set(state.ports.map(\.device.address))
            let free = (1...UInt8(Self.maximumDeviceCount)).map {
                (state.lastAddress + $0 - 1) % UInt8(Self.maximumDeviceCount) + 1
            }
            .first { !used.contains($0) }
            guard let address = free else {
                return (SimulatedUSBPort(simulated, bus: Self.number, address: 0, number: 0), false)
            }
            state.lastAddress = address
            let taken = Set(state.ports.map(\.number))
            let number = ([preferred] + (1...128)).first { $0 > 0 && !taken.contains($0) } ?? 1
            let port = SimulatedUSBPort(simulated, bus: Self.number, address: address, number: number)
            state.ports.append(port)
            return (port, true)
        }
        guard isNew else { return port.device }
        simulated.plugged { [weak self, weak simulated] in
            if let simulated { self?.unplug(simulated) }
        }
        tell(.arrived(port.device))
        return port.device
    }

    /// Unplugs a device. Its transfers end with `USBError.disconnected`.
    public func unplug(_ simulated: any SimulatedUSBDevice) {
        let port = state.withLock { state in
            state.ports.firstIndex { $0.simulated === simulated }.map { state.ports.remove(at: $0) }
        }
        guard let port else { return }
        port.disconnect()
        simulated.unplugged()
        tell(.left(port.device))
        guard let delay = simulated.returnsAfter else { return }
        clock.schedule(after: delay) { [weak self] in self?.plug(simulated, port: port.number) }
    }

    /// Returns whether a device is plugged in.
    public func isPlugged(_ simulated: any SimulatedUSBDevice) -> Bool {
        state.withLock { $0.ports.contains { $0.simulated === simulated } }
    }

    /// Suspends the machine, which cuts the power of the bus, and resumes it.
    ///
    /// - Parameters:
    ///   - duration: the time asleep; the clock continues.
    ///   - persistently: whether the kernel recognizes the devices as the same ones afterward. If not, they disconnect
    ///     and connect again.
    public func suspend(for duration: Duration, persistently: Bool) {
        clock.suspend(for: duration)
        for port in ports {
            guard !persistently else {
                port.loseSync()
                continue
            }
            unplug(port.simulated)
            plug(port.simulated, port: port.number)
        }
        clock.signal()
    }

    public func devices() async throws(USBError) -> [USBDevice] {
        clock.catchUp()
        return state.withLock { $0.ports.map(\.device) }
    }

    public func hotplugEvents() -> AsyncStream<USBHotplugEvent> {
        let subscription = Subscription(bus: self)
        return AsyncStream { await subscription.next() }
    }

    public func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        clock.catchUp()
        // Compare only the identity: the host may know more about the device.
        let port = state.withLock { state in
            state.ports.first { $0.device.address == device.address && $0.device.descriptor == device.descriptor }
        }
        guard let port else { throw .notFound }
        return SimulatedUSBTransport(port: port, clock: clock, handles: handles)
    }

    /// The ports with a device, by port number.
    var ports: [SimulatedUSBPort] { state.withLock { $0.ports }.sorted { $0.number < $1.number } }

    private func tell(_ event: USBHotplugEvent) {
        state.withLock { state in
            for subscriber in state.subscribers.keys { state.subscribers[subscriber]?.append(event) }
        }
        clock.signal()
    }

    /// One consumer of hotplug events, for the lifetime of its stream.
    private final class Subscription: Sendable {
        private let bus: SimulatedUSBBus
        private let id: Int

        init(bus: SimulatedUSBBus) {
            self.bus = bus
            id = bus.state.withLock { state in
                state.lastSubscriber += 1
                state.subscribers[state.lastSubscriber] = []
                return state.lastSubscriber
            }
        }

        func next() async -> USBHotplugEvent? {
            while !Task.isCancelled {
                bus.clock.catchUp()
                let event = bus.state.withLock { state in
                    state.subscribers[id]?.isEmpty == false ? state.subscribers[id]?.removeFirst() : nil
                }
                if let event { return event }
                // A subscription has no deadline; this one lies beyond any run.
                let deadline = bus.clock.moment(after: .seconds(365 * 86_400))
                await bus.clock.wait(until: deadline) { [bus, id] in
                    bus.state.withLock { $0.subscribers[id]?.isEmpty == false }
                }
            }
            return nil
        }

        deinit { bus.state.withLock { state in _ = state.subscribers.removeValue(forKey: id) } }
    }
}

/// Counts the open handles of a bus's devices.
final class OpenHandles: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .sequentiallyConsistent) }

    func add() { number.add(1, ordering: .sequentiallyConsistent) }

    func remove() { number.subtract(1, ordering: .sequentiallyConsistent) }
}
