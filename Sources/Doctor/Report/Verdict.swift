/// What a check makes of what it saw, from harmless to bad.
public enum Verdict: String, Hashable, Sendable, CaseIterable, Comparable {
    /// There was nothing to look at.
    case skipped
    case ok
    /// Payments work, or this user does not need what is missing.
    case warning
    /// Something does not work before this is mended.
    case problem

    public static func < (first: Verdict, second: Verdict) -> Bool { first.rank < second.rank }

    private var rank: Int {
        switch self {
        case .skipped: 0
        case .ok: 1
        case .warning: 2
        case .problem: 3
        }
    }
}
