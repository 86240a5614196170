/// A place in a settings file. Lines and columns count from 1, columns in Unicode scalars.
public struct SettingsLocation: Hashable, Sendable, CustomStringConvertible {
    /// The file's name as the user gave it.
    public let file: String
    public let line: Int
    public let column: Int

    public init(file: String, line: Int, column: Int) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    /// For example `terminal.yaml:12`.
    public var description: String { "\(file):\(line)" }
}
