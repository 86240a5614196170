internal import DeviceAccess

/// The rules that udevd uses: those of all its directories, by file name.
struct UdevRulesDirectories: Sendable {
    /// A file that is in force.
    struct Entry: Hashable, Sendable {
        var name: String
        var path: String
        /// Empty when it is there to switch off a file of the same name.
        var contents: [UInt8]
    }

    /// Where udevd looks; a file in one hides those of the same name in later ones (udev(7)).
    static let directories = [
        "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d",
        "/lib/udev/rules.d",
    ]

    /// Files that go beside the rules and give no reader at its work to anybody: those that keep pcscd away, and those for
    /// readers that take firmware (docs/readers.md).
    private static let companions: Set = [InstalledFile.exclusiveRules.name, "62-cardpresent-firmware.rules"]

    /// In the order in which they are worked off.
    let entries: [Entry]
    /// Whether the machine has udev.
    let isPresent: Bool

    init(_ files: SystemFiles) {
        var byName: [String: Entry] = [:]
        for directory in Self.directories {
            for name in files.names(in: directory) where name.hasSuffix(".rules") && byName[name] == nil {
                let path = "\(directory)/\(name)"
                byName[name] = Entry(name: name, path: path, contents: files.contents(path) ?? [])
            }
        }
        entries = byName.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        isPresent = !entries.isEmpty || files.exists("/usr/lib/udev") || files.exists("/lib/udev")
    }

    func entry(named name: String) -> Entry? { entries.first { $0.name == name } }

    /// The files in which a rule gives readers to `group`.
    func entries(givingReadersTo group: String) -> [Entry] {
        entries.filter { !Self.companions.contains($0.name) }.filter { entry in
            UdevRulesFile(String(decoding: entry.contents, as: UTF8.self)).rules.contains {
                $0.assigned("GROUP") == group
            }
        }
    }
}
