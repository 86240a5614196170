import USB

/// Checks that the udev rules for card readers are installed, current, and effective.
public struct RulesCheck: Check {
    private let files: SystemFiles
    private let user: LoginUser?

    /// Rules before this systemd file cannot match a device's interfaces.
    private static let notBefore = "50-udev-default.rules"
    /// Rules from this systemd file on set the tag `uaccess` too late.
    private static let notAfter = "73-seat-late.rules"

    /// - Parameters:
    ///   - root: The root directory of the system.
    ///   - user: The user of the readers; nil for a system that is not running.
    public init(root: String = "", user: LoginUser?) { (files, self.user) = (SystemFiles(root: root), user) }

    public var name: CheckName { .rules }

    public func findings() async -> [Finding] {
        let directories = UdevRulesDirectories(files)
        guard directories.isPresent else {
            return [.skipped("this machine has no udev")]
        }
        let findings = [own(in: directories)] + overriding(in: directories)
        // Root needs no rules, and neither does a machine without USB.
        guard let user else { return findings }
        return user.isRoot || !files.exists("/sys/bus/usb") ? findings.map(\.softened) : findings
    }

    private func own(in directories: UdevRulesDirectories) -> Finding {
        let rules = InstalledFile.rules
        let installation = Installation(files)
        let isPackaged = installation.isPackaged(rules)
        guard let entry = directories.entry(named: rules.name) else { return elsewhere(in: directories) }
        guard entry.contents != rules.contents else { return .ok(about: entry.path, "is current") }
        guard !entry.contents.isEmpty else {
            return .problem(
                .reader, about: entry.path, "is empty, which disables the rules", cause: "the rules were masked",
                fix: "sudo rm \(entry.path) && " + (isPackaged ? Self.reload : installation.command))
        }
        guard entry.path == rules.path else {
            return .warning(
                about: entry.path, "differs from this program's rules",
                cause: isPackaged
                    ? "it is of the package \(InstalledFile.groupName), which has another version, or was edited"
                    : "it is from another version", fix: installation.command, repair: installation.repair)
        }
        guard hiddenCopy(of: rules) == nil, !isPackaged else {
            return .warning(
                about: entry.path, "is outdated and overrides the installed rules of the same name",
                fix: "sudo rm \(entry.path) && \(Self.reload)")
        }
        return .warning(
            about: entry.path, "differs from this program's rules",
            cause:
                "it is from another version or was edited; --fix keeps it with the extension .old",
            fix: installation.command, repair: installation.repair)
    }

    /// The command that lets udev use rules that were changed by hand.
    private static let reload = "sudo udevadm control --reload && sudo udevadm trigger"

    /// Checks for rules under another file name, which determines the order of the rules.
    private func elsewhere(in directories: UdevRulesDirectories) -> Finding {
        let installation = Installation(files)
        guard let entry = directories.entries(givingReadersTo: InstalledFile.groupName).first else {
            return .problem(
                .reader, "no udev rules give users access to card readers",
                cause: installation.isPackaged(.rules)
                    ? "the file of the package \(InstalledFile.groupName) is missing"
                    : "\(InstalledFile.rules.path) is not installed", fix: installation.command,
                repair: installation.repair)
        }
        let reason: String? =
            if entry.name >= Self.notAfter {
                "they run after \(Self.notAfter), so console users get no access"
            } else if entry.name <= Self.notBefore {
                "they run before \(Self.notBefore), so they match no reader and the permissions are reset"
            } else {
                nil
            }
        guard let reason else {
            return .ok(about: entry.path, "gives the group \(InstalledFile.groupName) access to card readers")
        }
        return .problem(
            .reader, about: entry.path, "runs at the wrong time", cause: reason,
            // A file with other contents may have more purposes, so keep it.
            fix: entry.contents == InstalledFile.rules.contents
                ? "sudo rm \(entry.path) && \(installation.command)" : installation.command,
            repair: installation.repair)
    }

    private func hiddenCopy(of file: InstalledFile) -> String? {
        DeviceRules.directories.dropFirst().map { "\($0)/\(file.name)" }.first {
            files.contents($0) == file.contents
        }
    }

    /// Returns a finding for each later rule that assigns smart card readers to another group.
    private func overriding(in directories: UdevRulesDirectories) -> [Finding] {
        guard directories.entry(named: InstalledFile.exclusiveRules.name)?.contents.isEmpty ?? true else { return [] }
        return directories.entries.filter { $0.name > InstalledFile.rules.name }.flatMap { entry in
            let rules = UdevRulesFile(String(decoding: entry.contents, as: UTF8.self)).rules
            return rules.compactMap { rule -> Finding? in
                guard let group = rule.assigned("GROUP"), group != InstalledFile.groupName,
                    Self.isAboutReaders(rule, in: entry.name)
                else { return nil }
                return .warning(
                    about: "\(entry.path):\(rule.line)", "assigns smart card readers to the group \(group)",
                    cause: "it runs after our rules, so services and remote users lose access",
                    fix: "sudo usermod -aG \(group) NAME, or install \(InstalledFile.exclusiveRules.name)")
            }
        }
    }

    private static func isAboutReaders(_ rule: UdevRule, in name: String) -> Bool {
        name.contains("ccid") || name.contains("pcsc")
            || rule.tokens.contains { token in
                token.isCondition && token.key == "ENV"
                    && (token.attribute == "ID_SMARTCARD_READER"
                        || token.attribute == "ID_USB_INTERFACES" && token.value.contains("0b"))
            }
    }
}
