/// What recovery did with the attempts that were left in the middle.
public struct RecoveryReport: Hashable, Sendable {
    /// Payments that have come to an end now.
    public var finished: [Payment] = []
    /// Payments whose host did not answer: they stay open and will be asked about again.
    public var open: [Payment] = []

    public init() {}
}
