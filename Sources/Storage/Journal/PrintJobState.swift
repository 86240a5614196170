public import GRDB

/// What is known of the paper of a print job.
public enum PrintJobState: String, Hashable, Sendable, CaseIterable, DatabaseValueConvertible {
    /// Written down; the print server was told nothing, or its answer has not come.
    case queued
    /// The print server has given it a number, or the printer has taken the connection.
    case accepted
    /// The printer has all of it, or is printing. A link that carries nothing back ends here.
    case sent
    /// The printer says that it is printed.
    case completed
    /// It ended without being printed to its end: refused, cancelled, given up.
    case failed
    /// Nobody can say.
    case unknown

    /// The states that a job may enter from this one. Entering the same state again tells other reasons.
    public var successors: Set<PrintJobState> {
        switch self {
        case .queued: [.accepted, .sent, .completed, .failed, .unknown]
        case .accepted: [.accepted, .sent, .completed, .failed, .unknown]
        // A queue that begins again hands everything over again: there may be paper already.
        case .sent: [.sent, .completed, .failed, .unknown]
        case .unknown: [.accepted, .sent, .completed, .failed, .unknown]
        case .completed, .failed: []
        }
    }

    /// Whether nothing comes after it.
    public var isFinal: Bool { successors.isEmpty }
}
