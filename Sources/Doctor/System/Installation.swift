internal import DeviceAccess

/// What has to be on a system so that users may open card readers, and how it gets there.
struct Installation: Sendable {
    private let files: SystemFiles

    init(_ files: SystemFiles) { self.files = files }

    /// What puts rules and group in their place and gives readers that are plugged in to their users.
    var repair: Repair {
        Repair(
            "install the udev rules and the group \(InstalledFile.groupName)",
            steps: [.install(InstalledFile.rules)] + groupSteps + reloadSteps)
    }

    /// What makes the group, for rules that are there.
    var groupRepair: Repair {
        Repair("make the system group \(InstalledFile.groupName)", steps: groupSteps + reloadSteps)
    }

    /// What has udevd read its rules and work them off for the devices that are plugged in.
    var reload: Repair { Repair("have udev look at the devices again", steps: reloadSteps) }

    /// What to type for any of them.
    static let command = "sudo cardpresent doctor --fix"

    /// Whether udevd runs.
    var isUdevRunning: Bool { files.exists("/run/udev/control") }

    private var groupSteps: [Repair.Step] {
        let group = InstalledFile.group
        let hasSysusers = ["/usr/bin/systemd-sysusers", "/bin/systemd-sysusers"].contains { files.exists($0) }
        return [
            .install(group),
            .run(
                hasSysusers
                    ? ["systemd-sysusers", group.path] : ["groupadd", "--force", "--system", InstalledFile.groupName]),
        ]
    }

    private var reloadSteps: [Repair.Step] {
        guard isUdevRunning else { return [] }
        return [
            .run(["udevadm", "control", "--reload"]),
            .run(["udevadm", "trigger", "--subsystem-match=usb", "--subsystem-match=hidraw"]),
        ]
    }
}
