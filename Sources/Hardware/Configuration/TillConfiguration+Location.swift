extension TillConfiguration {
    /// The file to read, by the XDG base directory specification.
    ///
    /// - Parameters:
    ///   - option: what the user gave with `--config`. It is taken as it is, so that a missing file is an error.
    ///   - environment: the process's environment variables.
    ///   - exists: whether there is anything at a path. A file that is there and cannot be read must count, or a
    ///     shop would take payments with the wrong configuration.
    /// - Returns: nil when there is no file, and ``standard`` is in force.
    public static func path(
        option: String?, environment: [String: String], exists: (String) -> Bool
    ) -> String? {
        option ?? defaultPath(environment: environment).flatMap { exists($0) ? $0 : nil }
    }

    /// Where the file is when the user names none: `$XDG_CONFIG_HOME/cardpresent/cardpresent.yaml`, or
    /// `~/.config/cardpresent/cardpresent.yaml` when the variable is not set. A relative directory is ignored.
    ///
    /// - Returns: nil when the environment names no directory.
    public static func defaultPath(environment: [String: String]) -> String? {
        func directory(_ variable: String) -> String? {
            guard let path = environment[variable], path.hasPrefix("/") else { return nil }
            return path.hasSuffix("/") ? String(path.dropLast()) : path
        }
        return (directory("XDG_CONFIG_HOME") ?? directory("HOME").map { $0 + "/.config" })
            .map { $0 + "/cardpresent/cardpresent.yaml" }
    }
}
