/// Turns what a bus shows, looked at again and again, into arrivals and departures. However often and for whatever
/// reason somebody looks, a device arrives once and leaves once.
struct HotplugRegister {
    private struct Place: Hashable {
        let bus: UInt8
        let address: UInt8
    }

    private var known: [Place: USBDevice] = [:]
    private var notYetReady: Set<Place> = []

    /// Starts with the devices that were there before; they do not arrive.
    init(_ devices: [USBDevice]) {
        for device in devices { known[Place(bus: device.bus, address: device.address)] = device }
    }

    /// Takes in what the bus shows now, and returns what that means. Departures come before arrivals.
    ///
    /// `isReady` says whether a device can be worked with: the user may open it, and its drivers are there. The kernel
    /// shows a device some milliseconds before that, so one that is not ready is reported only when it is seen a second
    /// time: whoever opens it at once does not fail.
    mutating func update(_ devices: [USBDevice], isReady: (USBDevice) -> Bool) -> [USBHotplugEvent] {
        var departures: [USBHotplugEvent] = []
        var arrivals: [USBHotplugEvent] = []
        var absent = known
        var waiting: Set<Place> = []
        for device in devices {
            let place = Place(bus: device.bus, address: device.address)
            let before = absent.removeValue(forKey: place)
            if let before {
                if before.descriptor == device.descriptor { continue }
                departures.append(.left(before))
                known[place] = nil
            }
            if !notYetReady.contains(place), !isReady(device) {
                waiting.insert(place)
            } else {
                known[place] = device
                arrivals.append(.arrived(device))
            }
        }
        for device in absent.values.sorted(by: { ($0.bus, $0.address) < ($1.bus, $1.address) }) {
            known[Place(bus: device.bus, address: device.address)] = nil
            departures.append(.left(device))
        }
        notYetReady = waiting
        return departures + arrivals
    }
}
