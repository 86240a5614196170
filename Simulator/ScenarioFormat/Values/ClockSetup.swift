public import Determinism

/// The virtual clock at the beginning.
public struct ClockSetup: Hashable, Sendable {
    public var start: Timestamp
    /// Of the shop's time zone.
    public var offsetSeconds: Int

    public init(start: Timestamp = VirtualTimeSource.standardStart, offsetSeconds: Int = 0) {
        (self.start, self.offsetSeconds) = (start, offsetSeconds)
    }
}
