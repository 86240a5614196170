/// What an exploration has found. The same seed and number of sessions make the same report, however many were played
/// at
/// the same time; there is no wall time in it.
public struct ExplorationReport: Sendable, Encodable {
    /// How many different states of a kind were seen, and when the last new one.
    public struct Group: Hashable, Sendable, Encodable {
        public var group: CoverageGroup
        public var states: Int
    }

    /// After so many sessions, so many states.
    public struct Growth: Hashable, Sendable, Encodable {
        public var sessions: Int
        public var states: Int
    }

    /// How often sessions of a kind were played, and how many states they were the first to show.
    public struct Origin: Hashable, Sendable, Encodable {
        public var sessions = 0
        public var newStates = 0
    }

    public var seed: UInt64
    public internal(set) var sessions = 0
    /// Sessions that could not begin, which is no failure.
    public internal(set) var refused = 0
    /// Drafts that were no scenario, which is a mistake of the explorer's.
    public internal(set) var unreadable = 0
    public internal(set) var failures: [FoundFailure] = []
    /// Sessions that broke an invariant in a way that one of ``failures`` shows.
    public internal(set) var repetitions = 0
    public internal(set) var coverage: [Group] = []
    public internal(set) var growth: [Growth] = []
    /// Sessions that were made anew.
    public internal(set) var fresh = Origin()
    /// Sessions that were made of others which had shown something new.
    public internal(set) var variations = Origin()
    /// Every state that was seen, with the number of sessions in which it was.
    public internal(set) var states: [CoverageGroup.RawValue: [String: Int]] = [:]

    /// Whether an invariant was broken.
    public var hasFailed: Bool { !failures.isEmpty }
    /// How many different states were seen.
    public var stateCount: Int { coverage.reduce(0) { $0 + $1.states } }

    init(seed: UInt64) { self.seed = seed }
}
