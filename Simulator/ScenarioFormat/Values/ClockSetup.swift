public import Determinism

/// The virtual clock at the beginning.
public struct ClockSetup: Hashable, Sendable {
    /// When the session begins.
    public var start: Timestamp
    /// Of the shop's time zone.
    public var offsetSeconds: Int

    /// The simulator's own beginning, in UTC, unless something else is said.
    public init(start: Timestamp = VirtualTimeSource.standardStart, offsetSeconds: Int = 0) {
        (self.start, self.offsetSeconds) = (start, offsetSeconds)
    }
}
