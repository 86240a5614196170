internal import Synchronization
public import USB

/// A bus of simulated devices. Devices come and go by call or by the clock's schedule; a device is plugged into the
/// first port that is free, and gets another address each time.
public final class SimulatedUSBBus: USBBus {
    private struct State {
        var ports: [SimulatedUSBPort] = []
        var lastAddress: UInt8 = 0
        var subscribers: [Int: [USBHotplugEvent]] = [:]
        var lastSubscriber = 0
    }

    /// The number of the bus, as its devices show it.
    public static let number: UInt8 = 1
    /// How many devices can be plugged in: addresses have seven bits, and 0 is none (USB 2.0 §9.4.6).
    public static let mostDevices = 127

    /// The time that everything on this bus lives by.
    public let clock: SimulationClock
    private let handles = OpenHandles()
    private let state = Mutex(State())

    /// How many handles of its devices are open, those of devices that were pulled out among them.
    public var openHandles: Int { handles.count }
    /// How many of its devices somebody has an interface of.
    public var claimedDevices: Int { ports.count { !$0.isFree } }

    public init(clock: SimulationClock = SimulationClock()) { self.clock = clock }

    /// Plugs a device in. A device that is plugged in already is left as it is. One for which the bus has no address
    /// left is not used, as a host would not: it is not listed, and has address 0.
    ///
    /// - Parameters:
    ///   - simulated: the device.
    ///   - preferred: the port to take, counted from 1; the first one that is free when there is a device in it.
    /// - Returns: the device as the host sees it.
    @discardableResult
    public func plug(_ simulated: any SimulatedUSBDevice, port preferred: Int = 1) -> USBDevice {
        let (port, isNew) = state.withLock { state in
            if let port = state.ports.first(where: { $0.simulated === simulated }) { return (port, false) }
            let used = Set(state.ports.map(\.device.address))
            let free = (1...UInt8(Self.mostDevices)).map { (state.lastAddress + $0 - 1) % UInt8(Self.mostDevices) + 1 }
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

    /// Pulls a device out. Its transfers end with `USBError.disconnected`.
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

    /// Puts the machine to sleep, which takes the power from the bus, and wakes it up again.
    ///
    /// - Parameters:
    ///   - duration: how long it sleeps; the clock goes on.
    ///   - persistently: whether the kernel takes the devices for the same ones afterwards. Else they leave and come
    ///     again.
    public func suspend(for duration: Duration, persistently: Bool) {
        clock.suspend(for: duration)
        for port in ports {
            guard !persistently else {
                port.loseStep()
                continue
            }
            unplug(port.simulated)
            plug(port.simulated, port: port.number)
        }
        clock.signal()
    }

    public func devices() async throws(USBError) -> [USBDevice] {
        beginCall()
        return state.withLock { $0.ports.map(\.device) }
    }

    public func hotplugEvents() -> AsyncStream<USBHotplugEvent> {
        let subscription = Subscription(bus: self)
        return AsyncStream { await subscription.next() }
    }

    public func open(_ device: USBDevice) async throws(USBError) -> any USBTransport {
        beginCall()
        // What a host has found out about it besides is no difference.
        let port = state.withLock { state in
            state.ports.first { $0.device.address == device.address && $0.device.descriptor == device.descriptor }
        }
        guard let port else { throw .notFound }
        return SimulatedUSBTransport(port: port, clock: clock, handles: handles)
    }

    /// The devices that are plugged in, by the number of their port.
    var ports: [SimulatedUSBPort] { state.withLock { $0.ports }.sorted { $0.number < $1.number } }

    private func beginCall() {
        clock.noteActivity()
        clock.catchUp()
    }

    private func tell(_ event: USBHotplugEvent) {
        let isHeard = state.withLock { state in
            for subscriber in state.subscribers.keys { state.subscribers[subscriber]?.append(event) }
            return !state.subscribers.isEmpty
        }
        // Also when the host has not come round to listening: it is not to sleep past it.
        if isHeard { clock.announce() } else { clock.signal() }
    }

    /// One consumer of hotplug events, from the call that made its stream until the stream goes away.
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
                // A subscription has no deadline: this one comes after any run is over.
                let deadline = bus.clock.moment(after: .seconds(365 * 86_400))
                await bus.clock.stand(until: deadline) { [bus, id] in
                    bus.state.withLock { $0.subscribers[id]?.isEmpty == false }
                }
            }
            return nil
        }

        deinit { bus.state.withLock { state in _ = state.subscribers.removeValue(forKey: id) } }
    }
}
