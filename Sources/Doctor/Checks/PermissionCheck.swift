public import CCID
internal import DeviceAccess
internal import USB

/// Whether the user may open the readers, and if not, why.
public struct PermissionCheck: Check {
    private let files: SystemFiles
    private let kernel: KernelDeviceList
    private let quirks: ReaderQuirkTable
    private let user: LoginUser
    private let isAccessible: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - root: where the system's file tree begins.
    ///   - quirks: what is known of readers.
    ///   - user: who wants to open readers.
    ///   - isAccessible: whether this process may read and write a node; nil asks the kernel.
    public init(
        root: String = "", quirks: ReaderQuirkTable = .embedded, user: LoginUser,
        isAccessible: (@Sendable (String) -> Bool)? = nil
    ) {
        let files = SystemFiles(root: root)
        (self.files, kernel) = (files, KernelDeviceList(root: root))
        (self.quirks, self.user) = (quirks, user)
        self.isAccessible = isAccessible ?? { files.isAccessible($0) }
    }

    public var name: CheckName { .permission }

    public func findings() async -> [Finding] {
        guard let readers = PluggedReader.all(in: files, kernel, quirks) else {
            return [.skipped("no USB in this kernel")]
        }
        guard !readers.isEmpty else { return [.skipped("no card reader is plugged in")] }
        return readers.flatMap { reader in
            reader.nodes.map {
                finding(reader.name, $0, isKnown: !$0.hasPrefix("/dev/bus") || Self.isKnown(reader.device))
            }
        }
    }

    /// Whether the rules are about a device: they know readers by their class, and those that do not say it by number.
    private static func isKnown(_ device: USBDevice) -> Bool {
        if device.configuration?.interfaces.contains(where: { $0.classCode == 0x0B }) == true { return true }
        func digits(_ number: UInt16) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }
        func names(_ number: UInt16, _ list: String) -> Bool {
            list.split(separator: "|").contains { $0 == digits(number) }
        }
        return UdevRulesFile(InstalledFile.rules.text).rules.contains { rule in
            guard let vendor = rule.required("ATTR", "idVendor"), names(device.descriptor.vendorID, vendor) else {
                return false
            }
            return rule.required("ATTR", "idProduct").map { names(device.descriptor.productID, $0) } ?? true
        }
    }

    private func finding(_ reader: String, _ node: String, isKnown: Bool) -> Finding {
        guard !isAccessible(node) else { return .ok(about: reader, "\(node) can be opened") }
        let seen = "\(user.name) may not open \(node)"
        guard let status = files.status(node) else {
            return .problem(
                .reader, about: reader, "\(node) is not there",
                cause: "a container has only the nodes that it was given",
                fix: "start the container with --device /dev/bus/usb")
        }
        let accounts = AccountFiles(files)
        let installation = Installation(files)
        let owner = accounts.name(ofGroup: status.group)
        let ours = InstalledFile.groupName
        let rights = "it belongs to the group \(owner), mode \(Self.octal(status.mode))"
        func problem(_ cause: String, _ fix: String, _ repair: Repair? = nil) -> Finding {
            .problem(.reader, about: reader, seen, cause: "\(rights): \(cause)", fix: fix, repair: repair)
        }
        guard !UdevRulesDirectories(files).entries(givingReadersTo: ours).isEmpty else {
            return problem("no udev rules give readers to others", Installation.command, installation.repair)
        }
        guard let group = accounts.group(named: ours) else {
            return problem("there is no group \(ours)", Installation.command, installation.groupRepair)
        }
        guard installation.isUdevRunning else {
            return problem(
                "udevd does not run, so no rules are worked off",
                "sudo chgrp \(ours) \(node) && sudo chmod 660 \(node)")
        }
        guard status.group == group.number else {
            guard owner == "root" else {
                return problem(
                    "a later rule gives it away", "sudo usermod -aG \(owner) \(user.name), then log in again")
            }
            guard isKnown else {
                let number = reader.prefix { $0 != "@" && $0 != "/" }.split(separator: ":")
                return problem(
                    "no rule is about this device, which does not say that it is a reader",
                    "sudo sh -c 'echo \(Self.rule(number.first ?? "", number.last ?? "")) > "
                        + "/etc/udev/rules.d/65-reader.rules' && sudo udevadm control --reload && sudo udevadm trigger")
            }
            return problem(
                "the rules have not been worked off since the reader came",
                "sudo udevadm control --reload && sudo udevadm trigger", installation.reload)
        }
        guard accounts.isMember(user.name, of: group) else {
            return problem(
                "\(user.name) is not in it and does not sit at the machine",
                "sudo usermod -aG \(ours) \(user.name), then log in again")
        }
        guard user.groups.contains(group.number) else {
            return problem("\(user.name) is in it since this login began", "newgrp \(ours), or log in again")
        }
        return problem(
            "something has changed its mode", "sudo udevadm control --reload && sudo udevadm trigger",
            installation.reload)
    }

    /// A rule for one device, as a word of a command that a shell gets in single quotation marks.
    private static func rule(_ vendor: Substring, _ product: Substring) -> String {
        [
            ("SUBSYSTEM", "==", "usb"), ("ATTR{idVendor}", "==", "\(vendor)"), ("ATTR{idProduct}", "==", "\(product)"),
            ("GROUP", "=", InstalledFile.groupName), ("MODE", "=", "0660"), ("TAG", "+=", "uaccess"),
        ].map { key, operation, value in "\(key)\(operation)\\\"\(value)\\\"" }.joined(separator: ", ")
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode & 0o777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
