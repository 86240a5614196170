public import CCID
import Text
import USB

/// Checks whether the user may open the readers, and if not, why.
public struct PermissionCheck: Check {
    private let files: SystemFiles
    private let kernel: KernelDeviceList
    private let quirks: ReaderQuirkTable
    private let user: LoginUser
    private let isAccessible: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - root: The root directory of the system.
    ///   - quirks: The reader quirks.
    ///   - user: The user of the readers.
    ///   - isAccessible: Returns whether this process may read and write a node; nil asks the kernel.
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
            return [.skipped("the kernel has no USB support")]
        }
        guard !readers.isEmpty else { return [.skipped("no card reader is connected")] }
        return readers.flatMap { reader in
            reader.nodes.map {
                finding(reader.name, $0, isKnown: !$0.hasPrefix("/dev/bus") || Self.isKnown(reader.device))
            }
        }
    }

    /// Returns whether the rules match a device, by its interface class or its vendor and product ID.
    private static func isKnown(_ device: USBDevice) -> Bool {
        if device.configuration?.interfaces.contains(where: { $0.classCode == 0x0B }) == true { return true }
        func names(_ number: UInt16, _ list: String) -> Bool {
            list.split(separator: "|").contains { $0 == number.lowercaseHexadecimal }
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
                .reader, about: reader, "\(node) does not exist",
                cause: "a container has only the device nodes passed to it",
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
            return problem("no udev rules give users access to readers", installation.command, installation.repair)
        }
        guard let group = accounts.group(named: ours) else {
            return problem("the group \(ours) does not exist", Installation.repairCommand, installation.groupRepair)
        }
        guard installation.isUdevRunning else {
            return problem(
                "udevd is not running, so no rules are applied",
                "sudo chgrp \(ours) \(node) && sudo chmod 660 \(node)")
        }
        guard status.group == group.number else {
            guard owner == "root" else {
                return problem(
                    "a later rule assigns another group", "sudo usermod -aG \(owner) \(user.name), then log in again")
            }
            guard isKnown else {
                let number = reader.prefix { $0 != "@" && $0 != "/" }.split(separator: ":")
                return problem(
                    "no rule matches this device, which does not identify itself as a reader",
                    "sudo sh -c 'echo \(Self.rule(number.first ?? "", number.last ?? "")) > "
                        + "/etc/udev/rules.d/65-reader.rules' && sudo udevadm control --reload && sudo udevadm trigger")
            }
            return problem(
                "the rules have not been applied since the reader was connected",
                "sudo udevadm control --reload && sudo udevadm trigger", installation.reload)
        }
        guard accounts.isMember(user.name, of: group) else {
            return problem(
                "\(user.name) is not in it and has no console session",
                "sudo usermod -aG \(ours) \(user.name), then log in again")
        }
        guard user.groups.contains(group.number) else {
            return problem("\(user.name) was added after this login session started", "newgrp \(ours), or log in again")
        }
        return problem(
            "its mode was changed", "sudo udevadm control --reload && sudo udevadm trigger",
            installation.reload)
    }

    /// Returns a rule for one device, for a shell command in single quotes.
    private static func rule(_ vendor: Substring, _ product: Substring) -> String {
        [
            ("SUBSYSTEM", "==", "usb"), ("ATTR{idVendor}", "==", "\(vendor)"), ("ATTR{idProduct}", "==", "\(product)"),
            ("GROUP", "=", InstalledFile.groupName), ("MODE", "=", "0660"), ("TAG", "+=", "uaccess"),
        ].map { key, operation, value in "\(key)\(operation)\\\"\(value)\\\"" }.joined(separator: ", ")
    }

    private static func octal(_ mode: UInt32) -> String {
        (mode & 0o777).zeroPadded(to: 4, radix: 8)
    }
}
