/// A device as the kernel shows it.
struct KernelDevice: Sendable {
    /// The name of its directory in sysfs, which is where it is plugged in: `1-1.4`.
    var name: String
    var device: USBDevice
    /// Why ``USBDevice/configuration`` is nil although the device has one.
    var fault: USBError?
}
