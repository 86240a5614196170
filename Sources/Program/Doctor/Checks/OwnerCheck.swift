public import CCID
import USB

/// Checks whether other programs or drivers use the readers.
public struct OwnerCheck: Check {
    private let files: SystemFiles
    private let kernel: KernelDeviceList
    private let quirks: ReaderQuirkTable
    private let finder: USBDeviceOwnerFinder

    /// - Parameters:
    ///   - root: The root directory of the system.
    ///   - quirks: The reader quirks.
    public init(root: String = "", quirks: ReaderQuirkTable = .embedded) {
        (files, kernel, self.quirks) = (SystemFiles(root: root), KernelDeviceList(root: root), quirks)
        finder = USBDeviceOwnerFinder(root: root)
    }

    public var name: CheckName { .owner }

    public func findings() async -> [Finding] {
        guard let readers = PluggedReader.all(in: files, kernel, quirks) else {
            return [.skipped("the kernel has no USB support")]
        }
        let printers = printersOfDriver()
        guard !readers.isEmpty else {
            return printers.isEmpty ? [.skipped("no card reader is connected")] : printers
        }
        return readers.flatMap(findings(about:)) + printers
    }

    private func findings(about reader: PluggedReader) -> [Finding] {
        var owners: [USBDeviceOwner] = []
        for interface in reader.interfaces {
            for owner in finder.owners(of: reader.device, interface: interface) where !owners.contains(owner) {
                owners.append(owner)
            }
        }
        let findings = owners.compactMap { owner in finding(about: owner, of: reader.name) }
        return findings.isEmpty ? [.ok(about: reader.name, "is free")] : findings
    }

    private func finding(about owner: USBDeviceOwner, of reader: String) -> Finding? {
        switch owner {
        case .program("cardpresent", let pid):
            .warning(
                about: reader, "is in use by another cardpresent command (process \(pid))",
                cause: "only one program can use a reader", fix: "wait for it, or use another reader: --reader usb:ID")
        case .program(let name, _), .suspect(let name, _):
            .problem(
                .reader, about: reader, "is in use by \(owner)",
                cause: name == "pcscd"
                    ? "pcscd uses all readers that it supports; use them through pcscd with --reader pcsc, or "
                        + "exclude newer versions with 61-cardpresent-exclusive.rules"
                    : "only one program can use a reader", fix: owner.remedy)
        // The driver of keyboards and magnetic stripe readers, which is detached when the reader is opened.
        case .driver("usbhid", _): nil
        case .driver(let name, _):
            .warning(
                about: reader, "is in use by \(owner)",
                cause:
                    "it is detached whenever the reader is opened; to disable it permanently: "
                    + "echo 'blacklist \(name)' | sudo tee /etc/modprobe.d/cardpresent.conf",
                fix: owner.remedy)
        }
    }

    /// Returns a finding for each USB printer with the kernel driver `usblp`.
    private func printersOfDriver() -> [Finding] {
        ((try? kernel.devices()) ?? []).flatMap { found in
            finder.drivers(of: found.device).filter { $0.name == "usblp" }.map { bound in
                let owner = USBDeviceOwner.driver(name: bound.name, place: bound.place)
                return .warning(
                    about: "\(found.name) \(found.device.product ?? "printer")", "is in use by \(owner)",
                    cause:
                        "CUPS detaches the driver for each job; other programs cannot print directly",
                    fix: owner.remedy)
            }
        }
    }
}

/// Checks whether the kernel suspends readers that fail to resume.
public struct PowerCheck: Check {
    private let files: SystemFiles
    private let kernel: KernelDeviceList
    private let quirks: ReaderQuirkTable

    /// - Parameters:
    ///   - root: The root directory of the system.
    ///   - quirks: The reader quirks.
    public init(root: String = "", quirks: ReaderQuirkTable = .embedded) {
        (files, kernel, self.quirks) = (SystemFiles(root: root), KernelDeviceList(root: root), quirks)
    }

    public var name: CheckName { .power }

    public func findings() async -> [Finding] {
        guard let readers = PluggedReader.all(in: files, kernel, quirks) else {
            return [.skipped("the kernel has no USB support")]
        }
        guard !readers.isEmpty else { return [.skipped("no card reader is connected")] }
        return readers.map(finding)
    }

    private func finding(_ reader: PluggedReader) -> Finding {
        let power = "\(reader.directory)/power"
        let control = files.attribute("\(power)/control") ?? "unknown"
        let command = "echo on | sudo tee \(power)/control"
        let repair = Repair("disable autosuspend of \(reader.name)", steps: [.write("on", to: "\(power)/control")])
        if files.attribute("\(power)/runtime_status") == "error" {
            return .problem(
                .reader, about: reader.name, "the kernel could not resume it (\(power)/runtime_status is error)",
                cause: "it does not support autosuspend", fix: "\(command), then reconnect it",
                repair: repair)
        }
        let mustStayAwake = quirks.quirks(of: reader.device.descriptor).contains(.noAutosuspend)
        guard mustStayAwake, control == "auto" else { return .ok(about: reader.name, "power/control is \(control)") }
        return .problem(
            .reader, about: reader.name, "is suspended when idle (\(power)/control is auto)",
            cause: "this model fails to resume", fix: command, repair: repair)
    }
}
