internal import Glibc

/// The USB devices that Linux shows in sysfs (Documentation/ABI/stable/sysfs-bus-usb).
///
/// The kernel keeps every device's descriptors and strings as it read them when the device came. They can be read
/// without permission for the device, without waking it, and while another program holds it; and they are right
/// where no udevd runs, when libusb does not learn of new devices.
struct KernelDeviceList: Sendable {
    /// Where the kernel lists the devices.
    var directory = "/sys/bus/usb/devices"

    /// The devices that are plugged in now, by bus and address. None when the kernel has no USB.
    func devices() throws(USBError) -> [KernelDevice] {
        try names(in: directory).compactMap { name in
            // An interface has a colon in its name.
            name.contains(":") ? nil : device("\(directory)/\(name)")
        }
        .sorted { ($0.device.bus, $0.device.address) < ($1.device.bus, $1.device.address) }
    }

    /// The device node through which `device` is opened.
    static func node(of device: USBDevice) -> String {
        func padded(_ number: UInt8) -> String { String(repeating: "0", count: 3 - "\(number)".count) + "\(number)" }
        return "/dev/bus/usb/\(padded(device.bus))/\(padded(device.address))"
    }

    /// Whether this process may open `device`.
    static func isAccessible(_ device: USBDevice) -> Bool { access(node(of: device), R_OK | W_OK) == 0 }

    /// What a directory lists; nothing when there is no such directory.
    func names(in directory: String) throws(USBError) -> [String] {
        guard let stream = opendir(directory) else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return [] }
            throw USBError(errno: code)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// Nil when the device is gone again or is not one.
    private func device(_ path: String) -> KernelDevice? {
        guard let bus = text("\(path)/busnum").flatMap(UInt8.init),
            let address = text("\(path)/devnum").flatMap(UInt8.init),
            let bytes = contents("\(path)/descriptors"),
            let descriptor = try? USBDeviceDescriptor(parsing: bytes)
        else { return nil }
        var found = KernelDevice(
            device: USBDevice(
                bus: bus, address: address, descriptor: descriptor, configuration: nil,
                manufacturer: text("\(path)/manufacturer"), product: text("\(path)/product"),
                serialNumber: text("\(path)/serial")))
        // Empty when the device is not configured.
        guard let active = text("\(path)/bConfigurationValue").flatMap(UInt8.init) else { return found }
        do throws(USBError) {
            found.device.configuration = try USBConfiguration.find(active, after: Int(bytes[0]), in: bytes)
            found.device.configuration?.addKernelHID { kernelHID("\(path):\(active).\($0)") }
        } catch { found.fault = error }
        return found
    }

    /// A line of text without the characters that do not print: it comes from the device. Nil when nothing is left.
    private func text(_ path: String) -> String? {
        guard let bytes = contents(path) else { return nil }
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
            $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
        }
        let line = String(String.UnicodeScalarView(scalars)).drop { $0 == " " }
        return line.isEmpty ? nil : String(line)
    }

    func contents(_ path: String) -> [UInt8]? {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { Glibc.close(file) }
        // 255 configurations of 65,535 bytes cannot be told from a file without end; no real device comes near 64 KiB.
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 16 {
            let count = read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }
}
