internal import DeviceAccess
internal import USB

/// The udev rules that give card readers to users: in place, as this program has them, and with their effect.
public struct RulesCheck: Check {
    private let files: SystemFiles
    private let user: LoginUser?

    /// Before this file of systemd's, the list of a device's interfaces is not known.
    private static let notBefore = "50-udev-default.rules"
    /// From this file of systemd's on, the tag that makes access lists comes too late: it hands out what the next one,
    /// 73-seat-late.rules, carries out.
    private static let notAfter = "73-seat-late.rules"

    /// - Parameters:
    ///   - root: where the system's file tree begins.
    ///   - user: who wants to open readers; nil on a system that does not run.
    public init(root: String = "", user: LoginUser?) { (files, self.user) = (SystemFiles(root: root), user) }

    public var name: CheckName { .rules }

    public func findings() async -> [Finding] {
        let directories = UdevRulesDirectories(files)
        guard directories.isPresent else {
            return [.skipped("no udev on this machine: whoever makes the device nodes gives the permissions")]
        }
        let findings = [own(in: directories)] + overriding(in: directories)
        // Root needs no rules, and nobody does where there is no USB.
        guard let user else { return findings }
        return user.isRoot || !files.exists("/sys/bus/usb") ? findings.map(\.softened) : findings
    }

    private func own(in directories: UdevRulesDirectories) -> Finding {
        let rules = InstalledFile.rules
        let repair = Installation(files).repair
        guard let entry = directories.entry(named: rules.name) else { return elsewhere(in: directories) }
        guard entry.contents != rules.contents else { return .ok(about: entry.path, "is what this program has") }
        guard !entry.contents.isEmpty else {
            return .problem(
                .reader, about: entry.path, "is empty, which switches the rules off", cause: "somebody masked them",
                fix: "sudo rm \(entry.path) && \(Installation.command)")
        }
        guard entry.path == rules.path else {
            return .warning(
                about: entry.path, "is not what this program has", cause: "it came with another version of the program",
                fix: Installation.command, repair: repair)
        }
        guard hiddenCopy(of: rules) == nil else {
            return .warning(
                about: entry.path, "is old, and hides the rules of the same name that were installed with this program",
                fix: "sudo rm \(entry.path) && sudo udevadm control --reload && sudo udevadm trigger")
        }
        return .warning(
            about: entry.path, "is not what this program has",
            cause:
                "it came with another version, or somebody has changed it; --fix keeps it beside the new one as .old",
            fix: Installation.command, repair: repair)
    }

    /// The rules under another name, which decides when they are worked off.
    private func elsewhere(in directories: UdevRulesDirectories) -> Finding {
        let repair = Installation(files).repair
        guard let entry = directories.entries(givingReadersTo: InstalledFile.groupName).first else {
            return .problem(
                .reader, "no udev rules give card readers to anybody but root",
                cause: "they have not been installed: \(InstalledFile.rules.path)", fix: Installation.command,
                repair: repair)
        }
        let reason: String? =
            if entry.name >= Self.notAfter {
                "they come after \(Self.notAfter), so the person at the machine gets no access"
            } else if entry.name <= Self.notBefore {
                "they come before \(Self.notBefore), so no reader is known and the permissions are set back"
            } else {
                nil
            }
        guard let reason else {
            return .ok(about: entry.path, "gives card readers to the group \(InstalledFile.groupName)")
        }
        return .problem(
            .reader, about: entry.path, "is worked off at the wrong time", cause: reason,
            // Who wrote a file of his own may want it for more.
            fix: entry.contents == InstalledFile.rules.contents
                ? "sudo rm \(entry.path) && \(Installation.command)" : Installation.command, repair: repair)
    }

    private func hiddenCopy(of file: InstalledFile) -> String? {
        DeviceRules.directories.dropFirst().map { "\($0)/\(file.name)" }.first {
            files.contents($0) == file.contents
        }
    }

    /// Rules that come after ours and give smart card readers to another group.
    private func overriding(in directories: UdevRulesDirectories) -> [Finding] {
        guard directories.entry(named: InstalledFile.exclusiveRules.name)?.contents.isEmpty ?? true else { return [] }
        return directories.entries.filter { $0.name > InstalledFile.rules.name }.flatMap { entry in
            let rules = UdevRulesFile(String(decoding: entry.contents, as: UTF8.self)).rules
            return rules.compactMap { rule -> Finding? in
                guard let group = rule.assigned("GROUP"), group != InstalledFile.groupName,
                    Self.isAboutReaders(rule, in: entry.name)
                else { return nil }
                return .warning(
                    about: "\(entry.path):\(rule.line)", "gives smart card readers to the group \(group)",
                    cause: "it comes after our rules: services and users without a seat lose the readers",
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
