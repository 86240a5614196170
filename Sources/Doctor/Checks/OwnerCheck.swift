public import CCID
internal import USB

/// Who else works with the readers.
public struct OwnerCheck: Check {
    private let files: SystemFiles
    private let kernel: KernelDeviceList
    private let quirks: ReaderQuirkTable
    private let finder: USBDeviceOwnerFinder

    /// - Parameters:
    ///   - root: where the system's file tree begins.
    ///   - quirks: what is known of readers.
    public init(root: String = "", quirks: ReaderQuirkTable = .embedded) {
        (files, kernel, self.quirks) = (SystemFiles(root: root), KernelDeviceList(root: root), quirks)
        finder = USBDeviceOwnerFinder(root: root)
    }

    public var name: CheckName { .owner }

    public func findings() async -> [Finding] {
        guard let readers = PluggedReader.all(in: files, kernel, quirks) else {
            return [.skipped("no USB in this kernel")]
        }
        let printers = printersOfDriver()
        guard !readers.isEmpty else {
            return printers.isEmpty ? [.skipped("no card reader is plugged in")] : printers
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
                about: reader, "another cardpresent command works with it (process \(pid))",
                cause: "one program at a time has a reader", fix: "wait for it, or use another reader: --reader usb:ID")
        case .program(let name, _), .suspect(let name, _):
            .problem(
                .reader, about: reader, "is held by \(owner)",
                cause: name == "pcscd"
                    ? "pcscd takes every reader that it knows; --reader pcsc uses one through it, and "
                        + "61-cardpresent-exclusive.rules keeps newer versions away"
                    : "one program at a time has a reader", fix: owner.remedy)
        // The driver of every keyboard and magnetic stripe reader: it gives way when the reader is opened.
        case .driver("usbhid", _): nil
        case .driver(let name, _):
            .warning(
                about: reader, "is held by \(owner)",
                cause:
                    "it has to give way whenever the reader is opened, and takes it back afterwards; to keep it away for "
                    + "good: echo 'blacklist \(name)' | sudo tee /etc/modprobe.d/cardpresent.conf",
                fix: owner.remedy)
        }
    }

    /// USB printers that the kernel's own driver holds.
    private func printersOfDriver() -> [Finding] {
        ((try? kernel.devices()) ?? []).flatMap { found in
            finder.drivers(of: found.device).filter { $0.name == "usblp" }.map { bound in
                let owner = USBDeviceOwner.driver(name: bound.name, place: bound.place)
                return .warning(
                    about: "\(found.name) \(found.device.product ?? "printer")", "is held by \(owner)",
                    cause:
                        "CUPS takes the printer from it for each job; a program that talks to the printer itself cannot",
                    fix: owner.remedy)
            }
        }
    }
}
