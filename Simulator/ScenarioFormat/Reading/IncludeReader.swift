internal import SettingsFile

/// Reads a scenario file and lays it over the files that it includes.
struct IncludeReader {
    /// How deep files may include each other.
    private static let deepest = 8

    let read: @Sendable (String) throws(SettingsError) -> SettingsDocument

    /// The whole of a file, `include` taken out.
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
