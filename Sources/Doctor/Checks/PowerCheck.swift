internal import DeviceAccess
internal import USB

/// Whether the kernel puts readers to sleep that do not wake up.
public struct PowerCheck: Check {
    private let files: SystemFiles
    private let kernel: KernelDeviceList

    /// - Parameter root: where the system's file tree begins.
    public init(root: String = "") { (files, kernel) = (SystemFiles(root: root), KernelDeviceList(root: root)) }

    public var name: CheckName { .power }

    public func findings() async -> [Finding] {
        guard let readers = PluggedReader.all(in: files, kernel) else { return [.skipped("no USB in this kernel")] }
        guard !readers.isEmpty else { return [.skipped("no card reader is plugged in")] }
        return readers.map(finding)
    }

    private func finding(_ reader: PluggedReader) -> Finding {
        let power = "\(reader.directory)/power"
        let control = files.attribute("\(power)/control") ?? "unknown"
        let command = "echo on | sudo tee \(power)/control"
        let repair = Repair("keep \(reader.name) awake", steps: [.write("on", to: "\(power)/control")])
        if files.attribute("\(power)/runtime_status") == "error" {
            return .problem(
                .reader, about: reader.name, "the kernel could not wake it up (\(power)/runtime_status is error)",
                cause: "it does not stand being put to sleep", fix: "\(command), then unplug it and plug it in again",
                repair: repair)
        }
        let mustStayAwake = Self.sleepless.contains(
            Number(vendor: reader.device.descriptor.vendorID, product: reader.device.descriptor.productID))
        guard mustStayAwake, control == "auto" else { return .ok(about: reader.name, "power/control is \(control)") }
        return .problem(
            .reader, about: reader.name, "is put to sleep when it is idle (\(power)/control is auto)",
            cause: "readers of this model do not wake up again", fix: command, repair: repair)
    }

    private struct Number: Hashable { var vendor: UInt16; var product: UInt16 }

    /// The models that the rules keep awake.
    private static let sleepless: Set<Number> = {
        let rules = UdevRulesFile(InstalledFile.rules.text).rules
        return Set(
            rules.compactMap { rule in
                guard rule.assigned("ATTR", "power/control") == "on",
                    let vendor = rule.required("ATTR", "idVendor").flatMap({ UInt16($0, radix: 16) }),
                    let product = rule.required("ATTR", "idProduct").flatMap({ UInt16($0, radix: 16) })
                else { return nil }
                return Number(vendor: vendor, product: product)
            })
    }()
}
