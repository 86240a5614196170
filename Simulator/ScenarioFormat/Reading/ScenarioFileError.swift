public import SettingsFile

/// Why a file holds no scenarios: all of its mistakes, in the order of the file.
public struct ScenarioFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// At least one.
    public let errors: [SettingsError]

    init(_ problems: ProblemList) {
        errors = problems.errors.sorted {
            ($0.location.line, $0.location.column) < ($1.location.line, $1.location.column)
        }
    }

    init(_ error: SettingsError) { errors = [error] }

    /// A line for each mistake.
    public var description: String { errors.map(Self.line).joined(separator: "\n") }

    /// For example `pay.yaml:12:7: steps[0]: unknown key 'amout'; did you mean 'amount'?`.
    public static func line(_ error: SettingsError) -> String {
        let place = "\(error.location.file):\(error.location.line):\(error.location.column): "
        return place + (error.keyPath.isEmpty ? "" : "\(error.keyPath): ") + error.message
            + (error.fix.map { "; \($0)" } ?? "")
    }
}
