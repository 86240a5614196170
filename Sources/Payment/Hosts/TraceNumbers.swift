public import ISO8583

/// The trace numbers (field 11) of a profile, divided among the messages of attempts and those of network management,
/// so that none of them can be taken for another one.
///
/// An attempt has its number in the journal, and its messages derive theirs from it: a message that is sent again after
/// a restart has the number that it had.
public struct TraceNumberPlan: Hashable, Sendable {
    /// The most numbers for network management.
    private static let mostOfNetwork = 1000

    /// The numbers for sign-on and echo: the upper end of the profile's range.
    public let network: ClosedRange<Int>
    private let first: Int
    /// The attempts that have different numbers.
    private let places: Int
    /// The numbers of an attempt: one, or two where a reversal has one of its own.
    private let step: Int

    public init(_ profile: MessageProfile) {
        let range = profile.limits.stan
        step = profile.matching.stanOfReversal == .fresh ? 2 : 1
        let reserved = min(Self.mostOfNetwork, range.count / 10)
        // A range with room for nothing else has the same numbers for all.
        network = reserved > 0 ? range.upperBound - reserved + 1...range.upperBound : range
        first = range.lowerBound
        places = max(1, (range.count - reserved) / step)
    }

    /// Returns the number of an attempt's request or advice; `stan` is the number in the journal, 1 and up.
    public func request(_ stan: UInt32) -> Int { first + (Int(max(1, stan)) - 1) % places * step }

    /// Returns the number of an attempt's reversal.
    public func reversal(_ stan: UInt32) -> Int { request(stan) + step - 1 }
}
