internal import Hardware
internal import Simulator
internal import USB

/// A reader of the session: its device, and the port that it is always plugged into.
struct SessionReader: Sendable {
    let name: String
    let port: Int
    let parts: SimulatedReader.Device
    private let bus: SimulatedUSBBus

    init(_ planned: PlannedReader, port: Int, bus: SimulatedUSBBus) {
        (name, self.port, self.bus) = (planned.name, port, bus)
        parts = planned.model.make(clock: bus.clock)
        if let percent = planned.batteryPercent { parts.chip?.setBatteryLevel(percent: percent) }
        for fault in planned.faults { parts.chip?.arm(fault) }
    }

    /// What the till calls the reader, once it is plugged in.
    @discardableResult
    func plugIn() -> CardReader? { CardReader(bus.plug(parts.device, port: port)) }

    func unplug() { bus.unplug(parts.device) }
}
