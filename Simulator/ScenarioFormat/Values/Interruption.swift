public import SettingsFile

/// Something that happens in the middle of a step.
public struct Interruption: Sendable {
    /// When it happens.
    public enum Trigger: Hashable, Sendable {
        /// So long after the step began.
        case time(Duration)
        /// So long after the `count`-th event of the step that begins with these words.
        case event(String, count: Int, delay: Duration)
    }

    /// Where it is written.
    public var location: SettingsLocation
    /// When it happens.
    public var trigger: Trigger
    /// What happens.
    public var action: ScenarioAction

    public init(_ trigger: Trigger, _ action: ScenarioAction, location: SettingsLocation = .nowhere) {
        (self.location, self.trigger, self.action) = (location, trigger, action)
    }
}
