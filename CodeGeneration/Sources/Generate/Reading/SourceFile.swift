/// A file with models.
struct SourceFile: Hashable {
    /// The module that it belongs to.
    let module: String
    /// The folder in the module's `Models`, which is that of the generated files too; empty for none.
    let family: String
    /// From the root of the package.
    let path: String
    let text: String

    static func == (first: SourceFile, second: SourceFile) -> Bool { first.path == second.path }
    func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
