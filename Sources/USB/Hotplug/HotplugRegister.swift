/// Turns what a bus shows, looked at again and again, into arrivals and departures. However often and for whatever
/// reason somebody looks, a device arrives once and leaves once. One that had no configuration when it was reported, as
/// when USBGuard held it back, arrives again when it has one.
struct HotplugRegister {
    private struct Place: Hashable {
        let bus: UInt8
        let address: UInt8
    }

    /// How long a device may take from being seen to being ready. The kernel shows it before it has a configuration,
    /// and udevd gives the permission some milliseconds later still. One that takes longer is reported as it is.
    static let patience = Duration.seconds(1)

    private var known: [Place: USBDevice] = [:]
    /// Devices that are not ready, and when they were seen first.
    private var waiting: [Place: Duration] = [:]

    /// Starts with the devices that were there before; they do not arrive.
    init(_ devices: [USBDevice]) {
        for device in devices { known[Place(bus: device.bus, address: device.address)] = device }
    }

    /// Whether a device was seen that has not arrived yet: somebody should look again.
    var isWaiting: Bool { !waiting.isEmpty }

    /// Takes in what the bus shows now.
    ///
    /// - Parameters:
    ///   - devices: what is plugged in.
    ///   - now: a reading of the clock.
    ///   - isReady: whether a device can be used, so that whoever opens it at once does not fail.
    /// - Returns: what that means, departures before arrivals.
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
            if now - seen < Self.patience, !isReady(device) {
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
