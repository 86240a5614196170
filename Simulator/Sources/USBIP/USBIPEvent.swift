public import USB

/// What happened at a USB/IP server.
public enum USBIPEvent: Hashable, Sendable {
    /// Somebody looked at the list of devices, of which so many could be imported.
    case listed(devices: Int)
    /// A client has a device now.
    case imported(busID: String, USBDevice)
    /// A client did not get a device.
    case refused(busID: String, USBIPRefusal)
    /// A client has a device no longer; the text says why.
    case released(busID: String, reason: String)
    /// A connection without a device ended without an answer; the text says why.
    case dropped(reason: String)
}
