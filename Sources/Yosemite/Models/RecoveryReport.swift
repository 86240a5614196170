public import Storage

/// What recovery did with the attempts that were left in the middle.
public struct RecoveryReport: Hashable, Sendable {
    /// A payment that recovery could not deal with, because the records could not be read or written. What was done
    /// at the host is done again the next time, under the same key.
    public struct Failure: Hashable, Sendable {
        /// The payment's name, for example `P000001`.
        public let payment: String
        public let error: JournalError
    }

    /// Payments that have come to an end now.
    public var finished: [Payment] = []
    /// Payments whose host did not answer: they stay open and will be asked about again.
    public var open: [Payment] = []
    /// Payments that stay open because of their records.
    public var failed: [Failure] = []

    public init() {}
}
