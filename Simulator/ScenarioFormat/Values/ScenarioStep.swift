public import SettingsFile

/// One thing that is done, and what must come of it.
public struct ScenarioStep: Sendable {
    public var location: SettingsLocation
    public var action: ScenarioAction
    /// What happens while it is done.
    public var interruptions: [Interruption]
    public var expectations: [Expectation]

    public init(
        _ action: ScenarioAction, interruptions: [Interruption] = [], expectations: [Expectation] = [],
        location: SettingsLocation = .nowhere
    ) {
        (self.location, self.action) = (location, action)
        (self.interruptions, self.expectations) = (interruptions, expectations)
    }
}
