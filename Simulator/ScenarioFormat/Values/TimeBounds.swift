/// How long something may take on the virtual clock.
public struct TimeBounds: Hashable, Sendable {
    public var atLeast: Duration?
    public var atMost: Duration?

    public init(atLeast: Duration? = nil, atMost: Duration? = nil) {
        (self.atLeast, self.atMost) = (atLeast, atMost)
    }
}
