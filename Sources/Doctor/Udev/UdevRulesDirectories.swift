internal import USB

/// The rules that udevd uses: those of all its directories, by file name.
struct UdevRulesDirectories: Sendable {
    /// A file that is in force.
    struct Entry: Hashable, Sendable {
        var name: String
        var path: String
        /// Empty when it is there to switch off a file of the same name.
        var contents: [UInt8]
    }

    /// In the order in which they are worked off.
    let entries: [Entry]
    /// Whether the machine has udev.
    let isPresent: Bool

    init(_ files: SystemFiles) {
        var byName: [String: Entry] = [:]
        for directory in DeviceRules.directories {
            for name in files.names(in: directory) where name.hasSuffix(".rules") && byName[name] == nil {
                let path = "\(directory)/\(name)"
                byName[name] = Entry(name: name, path: path, contents: files.contents(path) ?? [])
            }
        }
        entries = byName.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        isPresent = !entries.isEmpty || files.exists("/usr/lib/udev") || files.exists("/lib/udev")
    }

    func entry(named name: String) -> Entry? { entries.first { $0.name == name } }

    /// The files that give smart card readers to `group`: they tell them by their class, and not one device by its number.
    func entries(givingReadersTo group: String) -> [Entry] {
        entries.filter { entry in
            let rules = UdevRulesFile(String(decoding: entry.contents, as: UTF8.self)).rules
            return rules.contains { $0.assigned("GROUP") == group }
                && rules.contains { $0.required("ENV", "ID_USB_INTERFACES")?.contains("0b") == true }
        }
    }
}
