import Settings

/// The files that a scenario may name: those of its folder, or none for a text that stands alone, which may come from
/// another machine.
struct ScenarioFiles: Sendable {
    /// Those of the folder of the scenario's file.
    static let ofFolder = ScenarioFiles(areRead: true)
    /// None. A name of a file is an error, and no file of this machine is read.
    static let none = ScenarioFiles(areRead: false)

    private let areRead: Bool

    /// Why a file is not read.
    static let reason = "a scenario that stands alone reads no files"

    /// Returns the path of the file that a value names.
    func path(_ node: SettingsNode) throws(SettingsError) -> String {
        try checkName(node)
        return FilePath.resolved(try node.text(length: 1...400), from: node.location.file)
    }

    /// Checks the keys of a till's configuration that name files.
    func check(configuration node: SettingsNode) throws(SettingsError) {
        guard !areRead else { return }
        for key in ["capks", "revocations"] {
            for entry in try node.optional(key)?.list() ?? [] where entry.kind == .text { try checkName(entry) }
        }
        for row in try node.optional("readers")?.optional("firmware")?.list() ?? [] {
            if let file = try row.optional("file") { try checkName(file) }
        }
        for (section, key) in [("receipt", "logo"), ("store", "authorities")] {
            if let file = try node.optional(section)?.optional(key) { try checkName(file) }
        }
    }

    /// Checks the queries of a scenario. One that stands alone has none: a query may run forever.
    func checkQueries(_ node: SettingsNode) throws(SettingsError) {
        guard !areRead else { return }
        throw node.error(
            "a scenario that stands alone queries no database", fix: "leave it out, or use 'cardpresent simulate run'")
    }

    /// Checks a value that stands for a file.
    func checkName(_ node: SettingsNode) throws(SettingsError) {
        guard !areRead else { return }
        throw node.error(Self.reason, fix: "write out what is in the file, or use 'cardpresent simulate run'")
    }
}
