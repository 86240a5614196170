/// A device as the kernel shows it.
struct KernelDevice: Sendable {
    var device: USBDevice
    /// Why ``USBDevice/configuration`` is nil although the device has one.
    var fault: USBError?
}
