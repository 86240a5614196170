/// A device as the kernel shows it.
public struct KernelDevice: Sendable {
    /// The name of its directory in sysfs, which is where it is plugged in: `1-1.4`.
    public internal(set) var name: String
    public internal(set) var device: USBDevice
    /// Why ``USBDevice/configuration`` is nil although the device has one.
    public internal(set) var fault: USBError?
}
