internal import USB

/// Where a reader is plugged in, what power it gets there, and who else works with it.
struct ReaderPlaceView: Encodable, Sendable {
    /// Number of the bus.
    var bus: UInt8
    /// Address on the bus.
    var address: UInt8
    /// The socket, as the kernel names it: `1-4.2`.
    @Nullable var port: String?
    /// `auto` when the kernel may suspend the device, `on` when it is kept awake; null when the kernel does not say.
    @Nullable var powerControl: String?
    /// `active`, `suspended` and so on.
    @Nullable var powerState: String?
    /// For how long it is idle before it is suspended; below zero it never is.
    @Nullable var autosuspendDelayMilliseconds: Int64?
    /// Other programs and kernel drivers that have it: `pcscd (process 812)`.
    var owners: [String]

    /// Looks without opening or waking the device.
    init(_ device: USBDevice, on bus: any USBBus) async {
        let power = (try? await bus.status(of: device))?.power
        (self.bus, address) = (device.bus, device.address)
        _port = Nullable(wrappedValue: device.port)
        _powerControl = Nullable(wrappedValue: power?.control.rawValue)
        _powerState = Nullable(wrappedValue: power?.state?.rawValue)
        _autosuspendDelayMilliseconds = Nullable(
            wrappedValue: power?.autosuspendDelay.map { delay in
                let (seconds, attoseconds) = delay.components
                return seconds.multipliedReportingOverflow(by: 1000).partialValue &+ attoseconds / 1_000_000_000_000_000
            })
        owners = await bus.owners(of: device, interface: nil).map(\.description)
    }

    /// The socket, and what the device is there.
    var place: String { "bus \(bus) device \(address)" + (port.map { ", port \($0)" } ?? "") }

    /// What the kernel does about its power; nil when the kernel does not say.
    var power: String? {
        guard let powerControl else { return nil }
        let rule =
            switch (powerControl, autosuspendDelayMilliseconds) {
            case ("auto", nil): "may be suspended when idle"
            case ("auto", let delay?) where delay >= 0: "suspended when idle for \(Self.seconds(delay)) s"
            default: "kept awake"
            }
        return [powerState, rule].compactMap(\.self).joined(separator: ", ")
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(Double(milliseconds) / 1000)"
    }
}
