/// A file to install so that users and services can access card readers.
///
/// The contents are the files of `udev/`, embedded in the program through the links in `Rules/`.
public struct InstalledFile: Hashable, Sendable {
    /// The path to install the file at.
    public let path: String
    public let contents: [UInt8]

    public init(path: String, contents: [UInt8]) { (self.path, self.contents) = (path, contents) }

    // The generated names have an underscore in place of the first digit.

    /// The udev rules that give the group and console users access to card readers.
    public static let rules = InstalledFile(
        path: "/etc/udev/rules.d/60-cardpresent.rules", contents: PackageResources._0_cardpresent_rules)

    /// The udev rules that exclude pcscd, for machines where only CardPresent uses readers.
    public static let exclusiveRules = InstalledFile(
        path: "/etc/udev/rules.d/61-cardpresent-exclusive.rules",
        contents: PackageResources._1_cardpresent_exclusive_rules)

    /// The system group of the rules (sysusers.d(5)).
    public static let group = InstalledFile(
        path: "/etc/sysusers.d/cardpresent.conf", contents: PackageResources.cardpresent_sysusers_conf)

    /// The name of that group.
    public static let groupName = "cardpresent"

    /// The file name.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    public var text: String { String(decoding: contents, as: UTF8.self) }
}

/// The repairs that install the rules and group.
struct Installation: Sendable {
    private let files: SystemFiles

    init(_ files: SystemFiles) { self.files = files }

    /// Installs the rules and group and applies them to connected readers.
    var repair: Repair {
        Repair(
            "install the udev rules and the group \(InstalledFile.groupName)",
            steps: [.install(InstalledFile.rules)] + groupSteps + reloadSteps)
    }

    /// Creates the group for rules that are already installed.
    var groupRepair: Repair {
        Repair("create the system group \(InstalledFile.groupName)", steps: groupSteps + reloadSteps)
    }

    /// Reloads the udev rules and applies them to connected devices.
    var reload: Repair { Repair("apply the udev rules again", steps: reloadSteps) }

    /// The command that applies these repairs.
    static let command = "sudo cardpresent doctor --fix"

    /// Whether udevd is running.
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
