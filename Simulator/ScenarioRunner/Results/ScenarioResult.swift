/// What came of one run of a scenario. It has no time of the wall clock in it: the same scenario with the same seed has
/// the same result.
public struct ScenarioResult: Hashable, Sendable, Encodable {
    /// What came of it.
    public enum Status: String, Hashable, Sendable, Encodable, CaseIterable {
        case passed
        case failed
        /// It failed, and its file says why it would.
        case failedAsExpected
        /// It passed although its file says that it would not: the file has to be told.
        case passedUnexpectedly
    }

    /// The file's folder and name, with the case and the repetition where there are several:
    /// `decline/by-cents[lost-card]`.
    public var name: String
    /// Where the scenario is written.
    public var file: String
    /// The line of ``file``.
    public var line: Int
    /// What the scenario shows.
    public var description: String
    /// The scenario's tags.
    public var tags: [String]
    /// What chance was made of.
    public var seed: UInt64
    /// What came of it.
    public var status: Status
    /// Why the file says that it fails.
    public var expectedFailure: String?
    /// On the virtual clock, from the session's beginning to its end.
    public var virtualMilliseconds: Int64
    /// What was not as it should be, in the order in which it was found.
    public var mismatches: [Mismatch]
    /// The last events before the first mismatch; none where all was well.
    public var lastEvents: [String]
    /// What happened, event by event; nil unless somebody asked for it.
    public var events: [String]?
    /// What to type to see it again.
    public var replay: String

    /// A result; what is left out is none.
    public init(
        name: String, file: String, line: Int, description: String, tags: [String], seed: UInt64, status: Status,
        expectedFailure: String? = nil, virtualMilliseconds: Int64, mismatches: [Mismatch] = [],
        lastEvents: [String] = [], events: [String]? = nil, replay: String
    ) {
        (self.name, self.file, self.line) = (name, file, line)
        (self.description, self.tags, self.seed) = (description, tags, seed)
        (self.status, self.expectedFailure) = (status, expectedFailure)
        (self.virtualMilliseconds, self.mismatches) = (virtualMilliseconds, mismatches)
        (self.lastEvents, self.events, self.replay) = (lastEvents, events, replay)
    }

    /// Whether the run as a whole fails because of it.
    public var isFailure: Bool { status == .failed || status == .passedUnexpectedly }

    /// What stands before the last slash of ``name``; the whole name's file where there is none.
    public var group: String {
        let path = name.prefix { $0 != "[" }
        guard let slash = path.lastIndex(of: "/") else { return "scenarios" }
        return String(path[..<slash])
    }

    /// ``name`` without its group.
    public var shortName: String { name.hasPrefix(group + "/") ? String(name.dropFirst(group.count + 1)) : name }

    /// One sentence on what went wrong; nil when nothing did.
    public var reason: String? {
        switch status {
        case .passed, .failedAsExpected: nil
        case .passedUnexpectedly: "it passes, although its file expects it to fail: remove 'expectedFailure'"
        case .failed: mismatches.first.map(\.sentence) ?? "it failed"
        }
    }
}
