/// How long something may take on the virtual clock.
public struct TimeBounds: Hashable, Sendable {
    public var atLeast: Duration?
    public var atMost: Duration?
}
