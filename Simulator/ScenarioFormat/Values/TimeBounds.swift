/// How long something may take on the virtual clock.
public struct TimeBounds: Hashable, Sendable {
    /// Not shorter than this; nil for any.
    public var atLeast: Duration?
    /// Not longer than this; nil for any.
    public var atMost: Duration?

    /// What is left out may be anything.
    public init(atLeast: Duration? = nil, atMost: Duration? = nil) {
        (self.atLeast, self.atMost) = (atLeast, atMost)
    }
}
