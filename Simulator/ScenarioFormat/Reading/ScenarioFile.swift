public import SettingsFile

/// Reads scenario files.
public enum ScenarioFile {
    /// Every case of a file.
    ///
    /// - Throws: ``ScenarioFileError`` with every mistake that is in the file and in those that it includes.
    public static func scenarios(path: String) throws(ScenarioFileError) -> [Scenario] {
        let document: SettingsDocument
        do throws(SettingsError) { document = try SettingsDocument(path: path) } catch {
            throw ScenarioFileError(error)
        }
        return try scenarios(document, path: path) { (path) throws(SettingsError) in try SettingsDocument(path: path) }
    }

    /// Every case of a text.
    ///
    /// - Parameters:
    ///   - text: YAML.
    ///   - path: the name that errors give, and beside which the files that it names are looked for.
    ///   - read: gives the files that it includes; without one, they are those of the disk.
    /// - Returns: the cases in their order.
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
        return try scenarios(document, path: path, read: read)
    }

    private static func scenarios(
        _ document: SettingsDocument, path: String,
        read: @escaping @Sendable (String) throws(SettingsError) -> SettingsDocument
    ) throws(ScenarioFileError) -> [Scenario] {
        let root: SettingsNode
        do throws(SettingsError) { root = try IncludeReader(read: read).root(document.root, path: path) } catch {
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
            var decoder = ScenarioDecoder(name: name, location: document.root.location)
            if let scenario = decoder.scenario(node) { scenarios.append(scenario) }
            problems.add(decoder.problems)
        }
        if expansion.cases.isEmpty {
            // Its own mistakes have been found already; those of the rest are told too.
            var check = ShapeCheck()
            check.check(body, .record(ScenarioKeys.file))
            problems.add(check.problems)
        }
        guard problems.isEmpty else { throw ScenarioFileError(problems) }
        return scenarios
    }
}
