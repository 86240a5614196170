/// What a receipt printer is like.
public enum ScenarioPrinter: String, Hashable, Sendable, CaseIterable {
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
    /// Every job takes ten seconds.
    case slow
    /// A job is dropped when it begins to be printed.
    case failing
}
