/// A device came or went.
public enum USBHotplugEvent: Hashable, Sendable {
    case arrived(USBDevice)
    case left(USBDevice)
}
