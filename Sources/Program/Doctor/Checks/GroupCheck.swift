/// Checks the group in the udev rules.
public struct GroupCheck: Check {
    private let files: SystemFiles
    private let accounts: AccountFiles
    private let user: LoginUser?

    /// - Parameters:
    ///   - root: The root directory of the system.
    ///   - user: The user of the readers; nil for a system that is not running.
    public init(root: String = "", user: LoginUser?) {
        files = SystemFiles(root: root)
        (accounts, self.user) = (AccountFiles(files), user)
    }

    public var name: CheckName { .group }

    public func findings() async -> [Finding] {
        let name = InstalledFile.groupName
        guard let group = accounts.group(named: name) else {
            let finding = Finding.problem(
                .reader, about: name, "the group does not exist",
                cause: "udev ignores an unknown group, and only root can open readers",
                fix: "sudo groupadd --system \(name), or: \(Installation.repairCommand)",
                repair: Installation(files).groupRepair)
            guard let user else { return [finding] }
            return [user.isRoot || !files.exists("/sys/bus/usb") ? finding.softened : finding]
        }
        var findings: [Finding] = []
        if group.number > accounts.largestSystemGroup {
            findings.append(
                .warning(
                    about: name, "is not a system group: its ID is \(group.number)",
                    cause: "systemd 258 and later assign devices only to system groups",
                    fix: "sudo groupmod -g \(accounts.freeSystemGroup) \(name)"))
        }
        if let user, let membership = membership(of: user, in: group) { findings.append(membership) }
        guard findings.isEmpty else { return findings }
        let person = user.flatMap { Self.isRoot($0) ? nil : ", \($0.name) is in it" }
        return [.ok(about: name, "group \(group.number)" + (person ?? ""))]
    }

    private func membership(of user: LoginUser, in group: AccountFiles.Group) -> Finding? {
        // Root needs no group.
        guard !Self.isRoot(user) else { return nil }
        let command = "sudo usermod -aG \(group.name) \(user.name)"
        guard accounts.isMember(user.name, of: group) else {
            return .warning(
                about: group.name, "\(user.name) is not in the group",
                cause:
                    "only a user at the machine's console can open readers, not services or ssh sessions",
                fix: "\(command), then log in again",
                repair: user.isRoot && !user.name.hasPrefix("-")
                    ? Repair(
                        "add \(user.name) to the group \(group.name)",
                        steps: [.run(["usermod", "-aG", group.name, user.name])]) : nil)
        }
        guard user.isSudoCaller || user.groups.contains(group.number) else {
            return .warning(
                about: group.name, "\(user.name) is in the group, but not in this login session",
                cause: "the session started before the user was added", fix: "newgrp \(group.name), or log in again")
        }
        return nil
    }

    /// Whether the user, not only the process, is root.
    private static func isRoot(_ user: LoginUser) -> Bool { user.isRoot && !user.isSudoCaller }
}
