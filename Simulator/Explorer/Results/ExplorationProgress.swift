/// How far an exploration has come.
public struct ExplorationProgress: Hashable, Sendable {
    public var sessions: Int
    /// Different states that were seen.
    public var states: Int
    public var failures: Int
}
