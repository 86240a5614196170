public import SettingsFile

/// One thing that is done, and what must come of it.
public struct ScenarioStep: Sendable {
    /// Where it is written.
    public var location: SettingsLocation
    /// What is done.
    public var action: ScenarioAction
    /// What happens while it is done.
    public var interruptions: [Interruption]
    /// What must come of it.
    public var expectations: [Expectation]

    public init(
        _ action: ScenarioAction, interruptions: [Interruption] = [], expectations: [Expectation] = [],
        location: SettingsLocation = .nowhere
    ) {
        (self.location, self.action) = (location, action)
        (self.interruptions, self.expectations) = (interruptions, expectations)
    }
}
