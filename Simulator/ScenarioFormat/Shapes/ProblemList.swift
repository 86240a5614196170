public import SettingsFile

/// Mistakes in the order in which they were found, each once, and not endlessly many.
public struct ProblemList: Hashable, Sendable {
    public private(set) var errors: [SettingsError] = []
    private var seen: Set<SettingsError> = []

    /// What is told of one file.
    private static let most = 100

    init() {}

    var isEmpty: Bool { errors.isEmpty }

    mutating func add(_ error: SettingsError) {
        guard errors.count < Self.most, seen.insert(error).inserted else { return }
        errors.append(error)
    }

    mutating func add(_ others: ProblemList) {
        for error in others.errors { add(error) }
    }

    /// What `body` makes; nil when it fails, which is noted.
    mutating func attempt<Value>(_ body: () throws(SettingsError) -> Value) -> Value? {
        do throws(SettingsError) { return try body() } catch {
            add(error)
            return nil
        }
    }
}
