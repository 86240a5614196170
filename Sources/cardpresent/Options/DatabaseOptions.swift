internal import ArgumentParser
internal import Foundation

/// Where the records are kept.
struct DatabaseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The database file.",
            discussion: "Default: $XDG_DATA_HOME/cardpresent/cardpresent.sqlite, or the same below ~/.local/share."),
        completion: .file(extensions: ["sqlite"]))
    var database: String?

    /// The file to open.
    func path(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        if let database { return database }
        return Self.directory(environment: environment) + "/cardpresent.sqlite"
    }

    /// The data directory of the XDG base directory specification; a relative value is to be ignored.
    private static func directory(environment: [String: String]) -> String {
        if let home = environment["XDG_DATA_HOME"], home.hasPrefix("/") { return home + "/cardpresent" }
        return (environment["HOME"] ?? "/") + "/.local/share/cardpresent"
    }
}
