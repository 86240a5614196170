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
    static func all(in files: SystemFiles, _ kernel: KernelDeviceList) -> [PluggedReader]? {
        guard files.exists("/sys/bus/usb") else { return nil }
        return ((try? kernel.devices()) ?? []).compactMap { PluggedReader($0) }
    }

    private init?(_ found: KernelDevice) {
        let chip = ((try? CCIDInterface.all(in: found.device)) ?? []).map(\.number)
        let stripe = MSRInterface.find(in: found.device)
        guard !chip.isEmpty || stripe != nil else { return nil }
        (device, directory) = (found.device, "/sys/bus/usb/devices/\(found.name)")
        name = Self.name(of: found.device)
        interfaces = chip + (stripe.map { [$0.hid.number] } ?? [])
        let whole = KernelDeviceList.node(of: found.device)
        // A stripe is read through the kernel's own driver where that has the interface.
        let raw = stripe.flatMap(\.hid.kernel).flatMap(\.node).map { "/dev/\($0)" }
        nodes = (chip.isEmpty && raw != nil ? [] : [whole]) + (raw.map { [$0] } ?? [])
    }

    private static func name(of device: USBDevice) -> String {
        if let reader = CardReader(device) { return "\(reader.id) \(reader.name)" }
        func digits(_ number: UInt16) -> String { String(number, radix: 16).fourDigits }
        let number = "\(digits(device.descriptor.vendorID)):\(digits(device.descriptor.productID))"
        return "\(number)@\(device.bus)-\(device.address) \(device.product ?? "magnetic stripe reader")"
    }
}

extension String {
    /// With zeros before it.
    fileprivate var fourDigits: String { String(repeating: "0", count: max(0, 4 - count)) + self }
}
