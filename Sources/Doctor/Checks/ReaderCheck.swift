public import CCID
public import Hardware
internal import USB

/// Whether a card reader is plugged in.
public struct ReaderCheck: Check {
    private let files: SystemFiles
    private let kernel: KernelDeviceList
    private let quirks: ReaderQuirkTable
    private let firmware: ReaderFirmwareCatalogue

    /// - Parameters:
    ///   - root: where the system's file tree begins.
    ///   - quirks: what is known of readers.
    ///   - firmware: what there is for readers that take firmware.
    public init(
        root: String = "", quirks: ReaderQuirkTable = .embedded,
        firmware: ReaderFirmwareCatalogue = ReaderFirmwareCatalogue()
    ) {
        (files, kernel) = (SystemFiles(root: root), KernelDeviceList(root: root))
        (self.quirks, self.firmware) = (quirks, firmware)
    }

    public var name: CheckName { .reader }

    public func findings() async -> [Finding] {
        guard let readers = PluggedReader.all(in: files, kernel, quirks) else {
            return [.skipped("no USB in this kernel")]
        }
        let devices = (try? kernel.devices()) ?? []
        let broken = devices.compactMap { found -> Finding? in
            guard let fault = fault(of: found) else { return nil }
            return .warning(
                about: "\(found.name) \(found.device.product ?? "")",
                "claims to be a card reader, and its descriptor is wrong: \(fault)",
                cause: "its firmware", fix: "ask its maker for newer firmware, or use another reader")
        }
        let waiting = devices.compactMap { found -> Finding? in
            guard let reader = firmware.reader(awaitingUpdateAs: found.device) else { return nil }
            return .problem(
                .reader, about: "\(reader.id) \(reader.name)", "has no firmware that runs",
                cause: "an update was interrupted", fix: "sudo cardpresent readers update '\(reader.id)'")
        }
        guard readers.isEmpty, waiting.isEmpty else {
            return readers.map { .ok(about: $0.name, "is plugged in") } + waiting + broken
        }
        let others =
            devices.count == 1 ? "1 USB device, which is none" : "\(devices.count) USB devices, none of which is one"
        return broken + [
            .problem(
                .reader, "no card reader is plugged in: \(others)",
                cause: "it is not plugged in, its cable or port is broken, or it is no reader of class 0B",
                fix: "plug one in and type: cardpresent readers watch")
        ]
    }

    /// Whether the descriptors, which cannot be read as a whole, have an interface of class 0B, or the device is known.
    private func claimsToBeReader(_ found: KernelDevice) -> Bool {
        let bytes = files.contents("/sys/bus/usb/devices/\(found.name)/descriptors") ?? []
        let hasInterface = bytes.indices.contains { index in
            bytes[index...].starts(with: [9, 4]) && bytes.dropFirst(index + 5).first == 0x0B
        }
        return hasInterface || !quirks.quirks(of: found.device.descriptor).all.isEmpty
    }

    /// Why a device with an interface of class 0B is no reader for us; nil when it is one, or has none.
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
