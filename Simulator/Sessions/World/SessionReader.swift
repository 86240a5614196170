internal import Hardware
internal import Simulator
internal import USB

/// A reader of the session: its device, and the port that it is always plugged into.
struct SessionReader: Sendable {
    let name: String
    let port: Int
    let model: SimulatedReader
    let parts: SimulatedReader.Device
    private let bus: SimulatedUSBBus

    init(_ planned: PlannedReader, port: Int, bus: SimulatedUSBBus) {
        (name, self.port, self.bus) = (planned.name, port, bus)
        model = planned.model
        parts = planned.model.make(clock: bus.clock)
        if let percent = planned.batteryPercent { parts.chip?.setBatteryLevel(percent: percent) }
        for fault in planned.faults { parts.chip?.arm(fault) }
    }

    func plugIn() { bus.plug(parts.device, port: port) }

    /// The reader as the till sees it; nil when it is not plugged in.
    func seen() async -> CardReader? {
        let devices = try? await bus.devices()
        return devices?.first { $0.port == "\(SimulatedUSBBus.number)-\(port)" }.flatMap { CardReader($0) }
    }

    func unplug() { bus.unplug(parts.device) }
}
