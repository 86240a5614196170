/// How the printer of a simulated session is.
public enum PrinterCondition: Hashable, Sendable, Codable {
    /// It prints at once.
    case ready
    /// A job waits until there is paper.
    case outOfPaper
    /// A job stops until somebody looks after it.
    case jammed
    /// The print server takes jobs; the printer does not answer it.
    case offline
    /// The queue takes no jobs.
    case refusing
    /// The print server does not answer.
    case away
    /// Every job takes this long.
    case slow(Duration)
    /// A job is dropped when it begins to be printed.
    case failing
}

extension PrinterCondition {
    /// What a log calls it.
    var word: String {
        switch self {
        case .ready: "ready"
        case .outOfPaper: "out_of_paper"
        case .jammed: "jammed"
        case .offline: "offline"
        case .refusing: "refusing"
        case .away: "away"
        case .slow: "slow"
        case .failing: "failing"
        }
    }
}
