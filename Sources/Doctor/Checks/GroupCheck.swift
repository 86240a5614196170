internal import DeviceAccess

/// The group that the rules give readers to.
public struct GroupCheck: Check {
    private let files: SystemFiles
    private let accounts: AccountFiles
    private let user: LoginUser?

    /// - Parameters:
    ///   - root: where the system's file tree begins.
    ///   - user: who wants to open readers; nil on a system that does not run.
    public init(root: String = "", user: LoginUser?) {
        files = SystemFiles(root: root)
        (accounts, self.user) = (AccountFiles(files), user)
    }

    public var name: CheckName { .group }

    public func findings() async -> [Finding] {
        let name = InstalledFile.groupName
        guard let group = accounts.group(named: name) else {
            let finding = Finding.problem(
                .reader, about: name, "there is no such group",
                cause: "udev passes over a group that it does not know, and readers stay with root",
                fix: "sudo groupadd --system \(name), or: \(Installation.command)",
                repair: Installation(files).groupRepair)
            guard let user else { return [finding] }
            return [user.isRoot || !files.exists("/sys/bus/usb") ? finding.softened : finding]
        }
        var findings: [Finding] = []
        if group.number > accounts.largestSystemGroup {
            findings.append(
                .warning(
                    about: name, "is not a system group: its number is \(group.number)",
                    cause: "systemd from version 258 on gives devices to system groups only",
                    fix: "sudo groupmod -g \(accounts.freeSystemGroup) \(name)"))
        }
        if let user, let membership = membership(of: user, in: group) { findings.append(membership) }
        guard findings.isEmpty else { return findings }
        let person = user.flatMap { Self.isRoot($0) ? nil : ", \($0.name) is in it" }
        return [.ok(about: name, "group \(group.number)" + (person ?? ""))]
    }

    private func membership(of user: LoginUser, in group: AccountFiles.Group) -> Finding? {
        // Root is above groups.
        guard !Self.isRoot(user) else { return nil }
        let command = "sudo usermod -aG \(group.name) \(user.name)"
        guard accounts.isMember(user.name, of: group) else {
            return .warning(
                about: group.name, "\(user.name) is not in the group",
                cause:
                    "readers are then open only to the person who sits at the machine, not to a service, nor over ssh",
                fix: "\(command), then log in again",
                repair: user.isRoot && !user.name.hasPrefix("-")
                    ? Repair(
                        "put \(user.name) into the group \(group.name)",
                        steps: [.run(["usermod", "-aG", group.name, user.name])]) : nil)
        }
        guard user.isSomebodyElse || user.groups.contains(group.number) else {
            return .warning(
                about: group.name, "\(user.name) is in the group, but not in this login",
                cause: "the login began before", fix: "newgrp \(group.name), or log in again")
        }
        return nil
    }

    /// Whether the person, not only the process, is root.
    private static func isRoot(_ user: LoginUser) -> Bool { user.isRoot && !user.isSomebodyElse }
}
