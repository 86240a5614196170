internal import CCID
internal import HID
internal import Hardware
internal import MSR
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
    static func all(
        in files: SystemFiles, _ kernel: KernelDeviceList, _ quirks: ReaderQuirkTable
    ) -> [PluggedReader]? {
        guard files.exists("/sys/bus/usb") else { return nil }
        return ((try? kernel.devices()) ?? []).compactMap { PluggedReader($0, quirks) }
    }

    private init?(_ found: KernelDevice, _ quirks: ReaderQuirkTable) {
        guard let reader = CardReader(found.device, quirks: quirks) else { return nil }
        (device, directory) = (found.device, "/sys/bus/usb/devices/\(found.name)")
        name = "\(reader.id) \(reader.name)"
        let chip = ((try? CCIDInterface.all(in: found.device, quirks: quirks)) ?? []).map(\.number)
        let stripe = MSRInterface.find(in: found.device)
        interfaces = chip + (stripe.map { [$0.hid.number] } ?? [])
        let whole = KernelDeviceList.node(of: found.device)
        // A stripe is read through the kernel's own driver where that has the interface.
        let raw = stripe.flatMap(\.hid.kernel).flatMap(\.node).map { "/dev/\($0)" }
        nodes = (chip.isEmpty && raw != nil ? [] : [whole]) + (raw.map { [$0] } ?? [])
    }
}
