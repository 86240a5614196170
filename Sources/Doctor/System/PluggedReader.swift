internal import CCID
internal import Hardware
internal import USB

/// A card reader that is plugged in.
struct PluggedReader: Sendable {
    /// What it is called: `08e6:3437@1-4 USB SmartCard Reader`.
    let name: String
    let device: USBDevice
    /// Its directory in sysfs.
    let directory: String
    /// The interfaces that a driver of ours works with.
    let interfaces: [UInt8]
    /// The nodes through which it is opened.
    let nodes: [String]

    /// Every reader, in the order of bus and address; nil when the kernel has no USB.
    static func all(in files: SystemFiles, _ kernel: KernelDeviceList) -> [PluggedReader]? {
        guard files.exists("/sys/bus/usb") else { return nil }
        return ((try? kernel.devices()) ?? []).compactMap { PluggedReader($0, files) }
    }

    private init?(_ found: KernelDevice, _ files: SystemFiles) {
        guard let reader = CardReader(found.device) else { return nil }
        name = "\(reader.id) \(reader.name)"
        device = found.device
        directory = "/sys/bus/usb/devices/\(found.name)"
        let chip = ((try? CCIDInterface.all(in: found.device)) ?? []).map(\.number)
        let usbNode = KernelDeviceList.node(of: found.device)
        if chip.isEmpty {
            let hid = (found.device.configuration?.interfaces ?? []).filter { $0.classCode == 3 }
            interfaces = hid.map(\.number)
            let raw = Self.rawNodes(of: directory, files)
            nodes = raw.isEmpty ? [usbNode] : raw
        } else {
            (interfaces, nodes) = (chip, [usbNode])
        }
    }

    /// The hidraw nodes of a device: `/dev/hidraw0`, from `1-2/1-2:1.0/0003:…/hidraw/hidraw0`.
    private static func rawNodes(of directory: String, _ files: SystemFiles) -> [String] {
        files.names(in: directory).filter { $0.contains(":") }.flatMap { interface in
            files.names(in: "\(directory)/\(interface)").filter { $0.hasPrefix("0003:") }.flatMap { device in
                files.names(in: "\(directory)/\(interface)/\(device)/hidraw").map { "/dev/\($0)" }
            }
        }
    }
}
