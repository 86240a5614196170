/// A file that the system needs so that people and services may use card readers, and where it belongs.
///
/// The files lie beside this one and are part of the program: what `udev/` holds is what gets installed.
public struct InstalledFile: Hashable, Sendable {
    /// The file's place in the system.
    public let path: String
    public let contents: [UInt8]

    public init(path: String, contents: [UInt8]) { (self.path, self.contents) = (path, contents) }

    // The generated names have an underscore in the place of a first digit.

    /// The udev rules that give card readers to the group and to the person at the machine.
    public static let rules = InstalledFile(
        path: "/etc/udev/rules.d/60-cardpresent.rules", contents: PackageResources._0_cardpresent_rules)

    /// The udev rules that keep pcscd away; for machines on which CardPresent is to be alone.
    public static let exclusiveRules = InstalledFile(
        path: "/etc/udev/rules.d/61-cardpresent-exclusive.rules",
        contents: PackageResources._1_cardpresent_exclusive_rules)

    /// The system group that the rules name (sysusers.d(5)).
    public static let group = InstalledFile(
        path: "/etc/sysusers.d/cardpresent.conf", contents: PackageResources.cardpresent_sysusers_conf)

    /// The name of that group.
    public static let groupName = "cardpresent"

    /// The last part of ``path``.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    public var text: String { String(decoding: contents, as: UTF8.self) }
}
