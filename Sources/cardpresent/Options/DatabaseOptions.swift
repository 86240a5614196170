internal import ArgumentParser
internal import FoundationEssentials

/// Where the records are kept.
struct DatabaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The database file.",
            discussion: "Default: $XDG_DATA_HOME/cardpresent/cardpresent.sqlite, or the same below ~/.local/share.",
            valueName: "file"),
        completion: .file(extensions: ["sqlite"]))
    var database: String?

    /// The file to open.
    ///
    /// - Throws: `CommandFailure` when there is nothing to find it by.
    func path(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> String {
        if let database, !database.isEmpty {
            // Names that SQLite gives a meaning, such as ':memory:', are names of files all the same.
            return database.hasPrefix(":") || database.hasPrefix("file:") ? "./" + database : database
        }
        guard database == nil, let path = Self.defaultPath(environment: environment) else {
            throw CommandFailure(
                .configuration, code: "no_database", message: "no file is named for the records",
                fix: "give --database FILE, or set HOME")
        }
        return path
    }

    /// The file where nobody names one; nil when there is nothing to find it by.
    static func defaultPath(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        directory(environment: environment).map { $0 + "/cardpresent/cardpresent.sqlite" }
    }

    /// The data directory of the XDG base directory specification; a relative value is to be ignored.
    static func directory(environment: [String: String]) -> String? {
        if let home = environment["XDG_DATA_HOME"], home.hasPrefix("/") { return home }
        return environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/share" : nil }
    }
}
