/// What is wrong with a settings file, and where.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    public let location: SettingsLocation
    /// The way to the value, for example `applications[0].floorLimit`; empty for the whole document.
    public let keyPath: String
    public let problem: SettingsProblem

    public init(location: SettingsLocation, keyPath: String, problem: SettingsProblem) {
        (self.location, self.keyPath, self.problem) = (location, keyPath, problem)
    }

    /// What is wrong, in one sentence without a full stop.
    public var message: String { problem.message }

    /// What to write instead; nil when the message says it all.
    public var fix: String? { problem.fix }

    /// For example `terminal.yaml:12: applications[0].floorLimit: 'abc' is not a number`.
    public var description: String {
        let place = keyPath.isEmpty ? "\(location): " : "\(location): \(keyPath): "
        return place + message + (fix.map { "; \($0)" } ?? "")
    }
}
