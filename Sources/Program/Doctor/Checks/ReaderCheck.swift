public import CCID
public import Hardware
import MagneticStripe
import USB

/// Checks that the kernel supports USB and device nodes exist.
public struct USBCheck: Check {
    private let files: SystemFiles
    private let kernel: KernelDeviceList
    private let isRunning: Bool

    /// - Parameters:
    ///   - root: The root directory of the system.
    ///   - isRunning: Whether the system is running; the file tree of another system may have no kernel files.
    public init(root: String = "", isRunning: Bool = true) {
        (files, kernel) = (SystemFiles(root: root), KernelDeviceList(root: root))
        self.isRunning = isRunning
    }

    public var name: CheckName { .usb }

    public func findings() async -> [Finding] {
        guard files.exists("/sys/bus/usb") else {
            guard isRunning else { return [.skipped("the system is not running")] }
            return [
                .problem(
                    .reader, "the kernel has no USB support: /sys/bus/usb does not exist",
                    cause: "a virtual machine or container without USB, or a kernel built without USB",
                    fix: "add a USB controller to the machine, or use --reader simulated")
            ]
        }
        let count: Int
        do throws(USBError) { count = try kernel.devices().count } catch {
            return [
                .problem(.reader, "cannot list the USB devices: \(error)", fix: "ls -l /sys/bus/usb/devices")
            ]
        }
        guard files.exists("/dev/bus/usb") else {
            return [
                .problem(
                    .reader, "there are no USB device nodes: /dev/bus/usb does not exist",
                    cause: "a container without the host's devices, or a system without devtmpfs",
                    fix: "start the container with --device /dev/bus/usb, or mount devtmpfs on /dev")
            ]
        }
        return [.ok(count == 1 ? "1 device" : "\(count) devices")]
    }
}

/// Checks that a card reader is connected.
public struct ReaderCheck: Check {
    private let files: SystemFiles
    private let kernel: KernelDeviceList
    private let quirks: ReaderQuirkTable
    private let firmware: ReaderFirmwareCatalog

    /// - Parameters:
    ///   - root: The root directory of the system.
    ///   - quirks: The reader quirks.
    ///   - firmware: The configured firmware updates.
    public init(
        root: String = "", quirks: ReaderQuirkTable = .embedded,
        firmware: ReaderFirmwareCatalog = ReaderFirmwareCatalog()
    ) {
        (files, kernel) = (SystemFiles(root: root), KernelDeviceList(root: root))
        (self.quirks, self.firmware) = (quirks, firmware)
    }

    public var name: CheckName { .reader }

    public func findings() async -> [Finding] {
        guard let readers = PluggedReader.all(in: files, kernel, quirks) else {
            return [.skipped("the kernel has no USB support")]
        }
        let devices = (try? kernel.devices()) ?? []
        let broken = devices.compactMap { found -> Finding? in
            guard let fault = fault(of: found) else { return nil }
            return .warning(
                about: "\(found.name) \(found.device.product ?? "")",
                "identifies itself as a card reader, but its descriptor is invalid: \(fault)",
                cause: "a firmware error", fix: "ask the manufacturer for newer firmware, or use another reader")
        }
        let waiting = devices.compactMap { found -> Finding? in
            guard let reader = firmware.reader(awaitingUpdateAs: found.device) else { return nil }
            return .problem(
                .reader, about: "\(reader.id) \(reader.name)", "has no working firmware",
                cause: "an update was interrupted", fix: "sudo cardpresent readers update '\(reader.id)'")
        }
        guard readers.isEmpty, waiting.isEmpty else {
            return readers.map { .ok(about: $0.name, "is connected") } + waiting + broken
        }
        let others =
            devices.count == 1 ? "1 USB device" : "\(devices.count) USB devices"
        return broken + [
            .problem(
                .reader, "no card reader among \(others)",
                cause: "it is not connected, the cable or port is faulty, or it is not a CCID reader (class 0B)",
                fix: "connect a reader and run: cardpresent readers watch")
        ]
    }

    /// Returns whether invalid descriptors contain an interface of class 0B, or the quirk table lists the device.
    private func claimsToBeReader(_ found: KernelDevice) -> Bool {
        let bytes = files.contents("/sys/bus/usb/devices/\(found.name)/descriptors") ?? []
        let hasInterface = bytes.indices.contains { index in
            bytes[index...].starts(with: [9, 4]) && bytes.dropFirst(index + 5).first == 0x0B
        }
        return hasInterface || !quirks.quirks(of: found.device.descriptor).all.isEmpty
    }

    /// Returns why a device of class 0B is not a supported reader; nil when it is, or is not of class 0B.
    private func fault(of found: KernelDevice) -> String? {
        if let fault = found.fault { return claimsToBeReader(found) ? fault.description : nil }
        guard found.device.configuration?.interfaces.contains(where: { $0.classCode == 0x0B }) == true else {
            return nil
        }
        do throws(CCIDDescriptorError) {
            _ = try CCIDInterface.all(in: found.device, quirks: quirks)
            return nil
        } catch {
            return error.description
        }
    }
}

/// A connected card reader.
struct PluggedReader: Sendable {
    /// The reader's ID and name: `08e6:3437@1-4 USB SmartCard Reader`.
    let name: String
    let device: USBDevice
    /// The device's directory in sysfs.
    let directory: String
    /// The interfaces that our drivers use.
    let interfaces: [UInt8]
    /// The device nodes to open.
    let nodes: [String]

    /// Returns all readers, ordered by bus and address; nil when the kernel has no USB support.
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
        let stripe = MagneticStripeInterface.find(in: found.device)
        interfaces = chip + (stripe.map { [$0.hid.number] } ?? [])
        let whole = KernelDeviceList.node(of: found.device)
        // A magnetic stripe reader is used through the kernel driver if it has the interface.
        let raw = stripe.flatMap(\.hid.kernel).flatMap(\.node).map { "/dev/\($0)" }
        nodes = (chip.isEmpty && raw != nil ? [] : [whole]) + (raw.map { [$0] } ?? [])
    }
}
