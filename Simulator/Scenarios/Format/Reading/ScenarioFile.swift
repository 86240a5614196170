public import Settings

/// Reads scenario files.
public enum ScenarioFile {
    /// Reads every case of a file.
    ///
    /// - Throws: ``ScenarioFileError`` with every error in the file and the files that it includes.
    public static func scenarios(path: String) throws(ScenarioFileError) -> [Scenario] {
        let document: SettingsDocument
        do throws(SettingsError) { document = try SettingsDocument(path: path) } catch {
            throw ScenarioFileError(error)
        }
        return try scenarios(document.root, path: path, files: .ofFolder) { (path) throws(SettingsError) in
            try SettingsDocument(path: path)
        }
    }

    /// Reads every case of a scenario that a program made, as it would read the text of this value.
    ///
    /// - Parameters:
    ///   - root: the outermost value, with unique keys in each mapping.
    ///   - path: the path for error messages and the name of the scenario.
    /// - Returns: the cases, in order.
    /// - Throws: ``ScenarioFileError``
    public static func scenarios(_ root: SettingsNode, path: String) throws(ScenarioFileError) -> [Scenario] {
        try scenarios(root, path: path, files: .ofFolder) { (path) throws(SettingsError) in
            try SettingsDocument(path: path)
        }
    }

    /// Reads every case of a text.
    ///
    /// - Parameters:
    ///   - text: the YAML text.
    ///   - path: the path for error messages. Relative paths in the text are relative to its folder.
    ///   - read: returns the text of an included file; by default reads it from the disk.
    /// - Returns: the cases, in order.
    /// - Throws: ``ScenarioFileError``
    public static func scenarios(
        text: String, path: String,
        read: @escaping @Sendable (String) throws(SettingsError) -> SettingsDocument = {
            (path) throws(SettingsError) in try SettingsDocument(path: path)
        }
    ) throws(ScenarioFileError) -> [Scenario] {
        let document: SettingsDocument
        do throws(SettingsError) { document = try SettingsDocument(text: text, file: path) } catch {
            throw ScenarioFileError(error)
        }
        return try scenarios(document.root, path: path, files: .ofFolder, read: read)
    }

    /// Reads every case of a text that stands alone, such as one of another machine. It names no files and
    /// has no queries (`rows`): a key that does is an error, and nothing is read from the disk.
    ///
    /// - Parameters:
    ///   - text: the YAML text.
    ///   - name: the file name for error messages and names of scenarios.
    /// - Returns: the cases, in order.
    /// - Throws: ``ScenarioFileError``
    public static func scenarios(alone text: String, name: String) throws(ScenarioFileError) -> [Scenario] {
        let document: SettingsDocument
        do throws(SettingsError) { document = try SettingsDocument(text: text, file: name) } catch {
            throw ScenarioFileError(error)
        }
        return try scenarios(document.root, path: name, files: .none) { (path) throws(SettingsError) in
            throw SettingsError(
                location: SettingsLocation(file: path, line: 1, column: 1), keyPath: "",
                problem: .unreadableFile(reason: ScenarioFiles.reason))
        }
    }

    private static func scenarios(
        _ outermost: SettingsNode, path: String, files: ScenarioFiles,
        read: @escaping @Sendable (String) throws(SettingsError) -> SettingsDocument
    ) throws(ScenarioFileError) -> [Scenario] {
        let root: SettingsNode
        do throws(SettingsError) { root = try IncludeReader(read: read).root(outermost, path: path) } catch {
            throw ScenarioFileError(error)
        }
        let expansion = CaseExpansion(root)
        var problems = expansion.problems
        var scenarios: [Scenario] = []
        let body = root.without(keys: ["variables", "matrix", "cases"])
        for made in expansion.cases {
            let node = made.variables.filled(into: body, problems: &problems)
            var check = ShapeCheck()
            check.check(node, .record(ScenarioKeys.file))
            guard check.problems.isEmpty else {
                problems.add(check.problems)
                continue
            }
            let name = FilePath.stem(path) + (made.label.map { "[\($0)]" } ?? "")
            var decoder = ScenarioDecoder(name: name, location: outermost.location, files: files)
            if let scenario = decoder.scenario(node) { scenarios.append(scenario) }
            problems.add(decoder.problems)
        }
        if expansion.cases.isEmpty {
            // The root has been checked already; check the included files too.
            var check = ShapeCheck()
            check.check(body, .record(ScenarioKeys.file))
            problems.add(check.problems)
        }
        guard problems.isEmpty else { throw ScenarioFileError(problems) }
        return scenarios
    }
}

/// The errors of a scenario file, in the order of the file.
public struct ScenarioFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The errors, at least one.
    public let errors: [SettingsError]

    init(_ problems: ProblemList) {
        errors = problems.errors.sorted {
            ($0.location.line, $0.location.column) < ($1.location.line, $1.location.column)
        }
    }

    init(_ error: SettingsError) { errors = [error] }

    /// The errors, one per line.
    public var description: String { errors.map(Self.line).joined(separator: "\n") }

    /// Returns an error as one line, such as `pay.yaml:12:7: steps[0]: unknown key 'amout'; did you mean 'amount'?`.
    public static func line(_ error: SettingsError) -> String {
        var place = error.place
        if place != error.location.file { place += ":\(error.location.column)" }
        return place + ": " + (error.keyPath.isEmpty ? "" : "\(error.keyPath): ") + error.message
            + (error.fix.map { "; \($0)" } ?? "")
    }
}

/// Reads a scenario file and merges it over the files that it includes.
struct IncludeReader {
    /// How deeply files may include each other.
    private static let deepest = 8

    let read: @Sendable (String) throws(SettingsError) -> SettingsDocument

    /// Returns the merged file without `include`.
    func root(_ document: SettingsNode, path: String) throws(SettingsError) -> SettingsNode {
        try merged(document, stack: [FilePath.normal(path)])
    }

    private func merged(_ node: SettingsNode, stack: [String]) throws(SettingsError) -> SettingsNode {
        guard let includes = try node.optional("include") else { return node }
        var base: SettingsNode?
        for name in try includes.oneOrMany() {
            let path = FilePath.resolved(try name.text(length: 1...400), from: name.location.file)
            guard !stack.contains(path) else {
                throw name.error("the files include each other: " + (stack + [path]).joined(separator: " → "))
            }
            guard stack.count < Self.deepest else {
                throw name.error("files include each other more than \(Self.deepest) levels deep")
            }
            let included: SettingsNode
            do throws(SettingsError) { included = try read(path).root } catch {
                guard case .unreadableFile(let reason) = error.problem else { throw error }
                throw name.error("cannot read '\(path)': \(reason)")
            }
            let whole = try merged(included, stack: stack + [path])
            base = base.map { whole.laid(over: $0) } ?? whole
        }
        let own = node.without(keys: ["include"])
        return base.map { own.laid(over: $0) } ?? own
    }
}

/// Paths in files: relative to the file's folder, unless they begin with a slash.
enum FilePath {
    /// Returns whether the name of a profile or of rules is a path, not that of a built-in one.
    static func isPath(_ name: String) -> Bool {
        name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    }

    /// Returns the path of `name` from the current folder.
    static func resolved(_ name: String, from file: String) -> String {
        guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return normal(name) }
        return normal(file[...slash] + name)
    }

    /// Removes `.`, and each `..` together with the part before it.
    static func normal(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    /// Returns the last part without `.yaml` or `.yml`.
    static func stem(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        for ending in [".yaml", ".yml"] where name.hasSuffix(ending) { return String(name.dropLast(ending.count)) }
        return name
    }
}
