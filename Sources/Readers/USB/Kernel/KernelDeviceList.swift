import Files
import Glibc
import Text

/// The USB devices listed in sysfs (Documentation/ABI/stable/sysfs-bus-usb).
///
/// The kernel keeps every device's descriptors and strings from the time it was plugged in. They can be read without
/// permission for the device, without waking it, and while another program holds it; and they are up to date even
/// without udevd, when libusb does not see new devices.
public struct KernelDeviceList: Sendable {
    /// The directory with the kernel's list of devices.
    public let directory: String

    /// Lists the devices of the system whose file tree starts at `root`, given without a trailing slash.
    public init(root: String = "") { directory = "\(root)/sys/bus/usb/devices" }

    init(directory: String) { self.directory = directory }

    /// Returns the devices that are plugged in now, by bus and address; none when the kernel has no USB.
    ///
    /// - Throws: ``USBError/accessDenied``, ``USBError/other(_:)`` when the list itself cannot be read.
    public func devices() throws(USBError) -> [KernelDevice] {
        try KernelFile.names(in: directory).compactMap { name in
            // An interface has a colon in its name.
            name.contains(":") ? nil : device(name)
        }
        .sorted { ($0.device.bus, $0.device.address) < ($1.device.bus, $1.device.address) }
    }

    /// Returns the path of the device node of `device`.
    public static func node(of device: USBDevice) -> String {
        "/dev/bus/usb/\(device.bus.zeroPadded(to: 3))/\(device.address.zeroPadded(to: 3))"
    }

    /// Returns whether this process may open `device`.
    static func isAccessible(_ device: USBDevice) -> Bool { access(node(of: device), R_OK | W_OK) == 0 }

    /// Returns nil when the device is gone again, or the directory is not a device.
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

/// A device in the kernel's list.
public struct KernelDevice: Sendable {
    /// The name of its directory in sysfs, which is its port: `1-1.4`.
    public internal(set) var name: String
    public internal(set) var device: USBDevice
    /// The reason why ``USBDevice/configuration`` is nil although the device has one.
    public internal(set) var fault: USBError?
}

extension KernelDeviceList {
    /// Returns the kernel's information about a device that is or was plugged in.
    func status(of device: USBDevice) -> USBDeviceStatus {
        let path = device.port.map { "\(directory)/\($0)" }
        let isPresent =
            path.map {
                number("\($0)/busnum") == Int(device.bus) && number("\($0)/devnum") == Int(device.address)
            }
            ?? ((try? devices())?.contains { $0.device.bus == device.bus && $0.device.address == device.address }
                ?? false)
        var status = USBDeviceStatus(
            isPresent: isPresent,
            overcurrents: device.port.flatMap(Self.portDirectory).flatMap {
                number("\(directory)/\($0)/over_current_count")
            })
        guard isPresent, let path else { return status }
        status.isAuthorized = number("\(path)/authorized").map { $0 != 0 }
        status.power = power("\(path)/power")
        status.group = Self.groupName(mayOpen: Self.node(of: device))
        return status
    }

    /// The name, or else the number, of the group that may read and write a file.
    static func groupName(mayOpen path: String) -> String? {
        var found = stat()
        guard stat(path, &found) == 0, found.st_mode & 0o060 == 0o060 else { return nil }
        var (entry, result) = (group(), UnsafeMutablePointer<group>?.none)
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getgrgid_r(found.st_gid, &entry, &buffer, buffer.count, &result) == 0, result != nil,
            let name = entry.gr_name
        else { return String(found.st_gid) }
        return String(cString: name)
    }

    private func power(_ path: String) -> USBPower? {
        guard let control = KernelFile.text("\(path)/control").flatMap(USBPower.Control.init) else { return nil }
        let delay = number("\(path)/autosuspend_delay_ms")
        return USBPower(
            control: control, state: KernelFile.text("\(path)/runtime_status").flatMap(USBPower.State.init),
            autosuspendDelay: delay.map { .milliseconds($0) },
            wakesHost: KernelFile.text("\(path)/wakeup").map { $0 == "enabled" },
            persists: number("\(path)/persist").map { $0 != 0 })
    }

    private func number(_ path: String) -> Int? { KernelFile.text(path).flatMap { Int($0) } }

    /// The directory of a hub's port, below that of the hub: `usb1/1-0:1.0/usb1-port4` for port `1-4`,
    /// `1-4/1-4:1.0/1-4-port2` for `1-4.2`.
    static func portDirectory(_ port: String) -> String? {
        if let dot = port.lastIndex(of: ".") {
            let hub = port[..<dot]
            return "\(hub)/\(hub):1.0/\(hub)-port\(port[port.index(after: dot)...])"
        }
        let parts = port.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        return "usb\(parts[0])/\(parts[0])-0:1.0/usb\(parts[0])-port\(parts[1])"
    }
}

/// The kernel HID driver's files below an interface (drivers/hid; Documentation/hid/hidraw).
extension KernelDeviceList {
    /// Human interface device class (HID 1.11 §4.1).
    static let hidClass: UInt8 = 0x03

    /// - Parameter path: the directory of an interface.
    /// - Returns: nil when another driver has it, or none.
    func kernelHID(_ path: String) -> KernelHID? {
        // The HID device below it is named after bus, vendor and product, for example 0003:0801:0002.0001.
        for name in (try? KernelFile.names(in: path)) ?? [] where name.hasPrefix("0003:") {
            guard let descriptor = KernelFile.contents("\(path)/\(name)/report_descriptor"), !descriptor.isEmpty else {
                continue
            }
            let nodes = (try? KernelFile.names(in: "\(path)/\(name)/hidraw")) ?? []
            return KernelHID(reportDescriptor: descriptor, node: nodes.min())
        }
        return nil
    }
}

extension USBDevice {
    /// Whether the kernel's HID driver has finished with every HID interface, which takes some milliseconds after the
    /// device was plugged in.
    var hasSettledHID: Bool {
        let interfaces = configuration?.interfaces ?? []
        return interfaces.allSatisfy {
            $0.classCode != KernelDeviceList.hidClass || $0.alternateSetting != 0 || $0.kernelHID != nil
        }
    }
}

extension USBConfiguration {
    /// Sets the kernel information of each HID interface.
    mutating func addKernelHID(_ find: (UInt8) -> KernelHID?) {
        for index in interfaces.indices where interfaces[index].classCode == KernelDeviceList.hidClass {
            interfaces[index].kernelHID = find(interfaces[index].number)
        }
    }
}

/// The kernel HID driver's information about an interface.
public struct KernelHID: Hashable, Sendable {
    /// The report descriptor as read by the kernel.
    public var reportDescriptor: [UInt8]
    /// The name of the node for reading reports while the kernel's driver keeps the interface, for example `hidraw0`;
    /// nil when there is none.
    public var node: String?

    /// Takes the report descriptor, and the path of the hidraw node if there is one.
    public init(reportDescriptor: [UInt8], node: String? = nil) {
        (self.reportDescriptor, self.node) = (reportDescriptor, node)
    }
}

/// Files, directories and links of the kernel's own file systems.
enum KernelFile {
    /// A limit against files without end. No real device comes near 64 KiB of descriptors.
    private static let mostBytes = 1 << 16

    /// The names in a directory, in order; none when there is no such directory.
    ///
    /// - Throws: ``USBError/accessDenied``, ``USBError/other(_:)``
    static func names(in directory: String) throws(USBError) -> [String] {
        do throws(FileError) {
            return try Files.names(in: directory)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return [] }
            throw USBError(errno: error.code)
        }
    }

    /// Returns a line of text without control characters, as it may come from a device. Nil when nothing is left.
    static func text(_ path: String) -> String? {
        guard let bytes = contents(path) else { return nil }
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
            $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
        }
        let line = String(String.UnicodeScalarView(scalars)).drop { $0 == " " }
        return line.isEmpty ? nil : String(line)
    }

    /// Returns the content of a file, up to 64 KiB; nil when it cannot be read.
    static func contents(_ path: String) -> [UInt8]? { try? Files.contents(path, atMost: mostBytes) }

    /// Returns the literal target of a symbolic link; nil when there is none.
    static func target(ofLink path: String) -> String? { try? Files.target(ofLink: path) }
}
