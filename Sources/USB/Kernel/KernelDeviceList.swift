internal import Glibc

/// The USB devices that Linux shows in sysfs (Documentation/ABI/stable/sysfs-bus-usb).
///
/// The kernel keeps every device's descriptors and strings as it read them when the device came. They can be read
/// without permission for the device, without waking it, and while another program holds it; and they are right
/// where no udevd runs, when libusb does not learn of new devices.
public struct KernelDeviceList: Sendable {
    /// Where the kernel lists the devices.
    public let directory: String

    /// The list of a system whose file tree begins at `root`, without a slash at its end.
    public init(root: String = "") { directory = "\(root)/sys/bus/usb/devices" }

    init(directory: String) { self.directory = directory }

    /// The devices that are plugged in now, by bus and address. None when the kernel has no USB.
    ///
    /// - Throws: ``USBError/accessDenied``, ``USBError/other(_:)`` when the list itself cannot be read.
    public func devices() throws(USBError) -> [KernelDevice] {
        try KernelFile.names(in: directory).compactMap { name in
            // An interface has a colon in its name.
            name.contains(":") ? nil : device(name)
        }
        .sorted { ($0.device.bus, $0.device.address) < ($1.device.bus, $1.device.address) }
    }

    /// The device node through which `device` is opened.
    public static func node(of device: USBDevice) -> String {
        func padded(_ number: UInt8) -> String { String(repeating: "0", count: 3 - "\(number)".count) + "\(number)" }
        return "/dev/bus/usb/\(padded(device.bus))/\(padded(device.address))"
    }

    /// Whether this process may open `device`.
    static func isAccessible(_ device: USBDevice) -> Bool { access(node(of: device), R_OK | W_OK) == 0 }

    /// Nil when the device is gone again or is not one.
    private func device(_ name: String) -> KernelDevice? {
        let path = "\(directory)/\(name)"
        guard let bus = KernelFile.text("\(path)/busnum").flatMap(UInt8.init),
            let address = KernelFile.text("\(path)/devnum").flatMap(UInt8.init),
            let bytes = KernelFile.contents("\(path)/descriptors"),
            let descriptor = try? USBDeviceDescriptor(parsing: bytes)
        else { return nil }
        var found = KernelDevice(
            name: name,
            device: USBDevice(
                bus: bus, address: address, port: name, descriptor: descriptor, configuration: nil,
                manufacturer: KernelFile.text("\(path)/manufacturer"), product: KernelFile.text("\(path)/product"),
                serialNumber: KernelFile.text("\(path)/serial")))
        // Empty when the device is not configured.
        guard let active = KernelFile.text("\(path)/bConfigurationValue").flatMap(UInt8.init) else { return found }
        do throws(USBError) {
            found.device.configuration = try USBConfiguration.find(active, after: Int(bytes[0]), in: bytes)
            found.device.configuration?.addKernelHID { kernelHID("\(path):\(active).\($0)") }
        } catch { found.fault = error }
        return found
    }
}
