/// A file to install so that users and services can access card readers.
///
/// The contents are the files of `udev/`, embedded in the program through the links in `Rules/`.
public struct InstalledFile: Hashable, Sendable {
    /// The path to install the file at.
    public let path: String
    /// The path at which the Debian package of this program has the file; nil when it does not install the file.
    public let packagedPath: String?
    public let contents: [UInt8]

    /// Describes a file. `packagedPath` is where the Debian package of this program has it; nil if it does not.
    public init(path: String, packagedPath: String? = nil, contents: [UInt8]) {
        (self.path, self.packagedPath, self.contents) = (path, packagedPath, contents)
    }

    // The generated names have an underscore in place of the first digit.

    /// The udev rules that give the group and console users access to card readers.
    public static let rules = InstalledFile(
        path: "/etc/udev/rules.d/60-cardpresent.rules", packagedPath: "/usr/lib/udev/rules.d/60-cardpresent.rules",
        contents: PackageResources._0_cardpresent_rules)

    /// The udev rules that exclude pcscd, for machines where only CardPresent uses readers.
    public static let exclusiveRules = InstalledFile(
        path: "/etc/udev/rules.d/61-cardpresent-exclusive.rules",
        contents: PackageResources._1_cardpresent_exclusive_rules)

    /// The system group of the rules (sysusers.d(5)).
    public static let group = InstalledFile(
        path: "/etc/sysusers.d/cardpresent.conf", packagedPath: "/usr/lib/sysusers.d/cardpresent.conf",
        contents: PackageResources.cardpresent_sysusers_conf)

    /// The name of that group.
    public static let groupName = "cardpresent"

    /// The file name.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    public var text: String { String(decoding: contents, as: UTF8.self) }
}

/// The repairs that install the rules and group. A file that belongs to the Debian package is never written.
struct Installation: Sendable {
    private let files: SystemFiles
    /// The rules and the group that the installed package brings; empty without it.
    private let packaged: Set<Substring>

    /// A file of the package with the paths of its rules and its group, one in each line.
    static let packageList = "/usr/share/cardpresent/package-files"

    init(_ files: SystemFiles) {
        self.files = files
        packaged = Set((files.text(Self.packageList) ?? "").split(separator: "\n"))
    }

    /// Whether the file belongs to the installed Debian package, also when it is missing.
    func isPackaged(_ file: InstalledFile) -> Bool { file.packagedPath.map { packaged.contains($0[...]) } ?? false }

    /// Installs the rules and group and applies them to connected readers; nil when the package brings the rules.
    var repair: Repair? {
        guard !isPackaged(.rules) else { return nil }
        return Repair(
            "install the udev rules and the group \(InstalledFile.groupName)",
            steps: [.install(InstalledFile.rules)] + groupSteps + reloadSteps)
    }

    /// The command that installs the rules: that of ``repair``, or one that restores the package's files.
    var command: String {
        isPackaged(.rules) ? "sudo apt-get install --reinstall \(InstalledFile.groupName)" : Self.repairCommand
    }

    /// Creates the group for rules that are already installed.
    var groupRepair: Repair {
        Repair("create the system group \(InstalledFile.groupName)", steps: groupSteps + reloadSteps)
    }

    /// Reloads the udev rules and applies them to connected devices.
    var reload: Repair { Repair("apply the udev rules again", steps: reloadSteps) }

    /// The command that applies repairs.
    static let repairCommand = "sudo cardpresent doctor --fix"

    /// Whether udevd is running.
    var isUdevRunning: Bool { files.exists("/run/udev/control") }

    private var groupSteps: [Repair.Step] {
        let group = InstalledFile.group
        let hasSysusers = ["/usr/bin/systemd-sysusers", "/bin/systemd-sysusers"].contains { files.exists($0) }
        if hasSysusers, isPackaged(group), let path = group.packagedPath, files.exists(path) {
            return [.run(["systemd-sysusers", path])]
        }
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
