import Connections
import Determinism
import Synchronization

/// Since when a database is away, for all links of a program to it. Every call that finds it away waits for the same
/// end, so that a request with several statements does not wait once for each, and neither do requests behind it.
public final class PostgreSQLOutage: Sendable {
    /// The reading at which the first call began that failed; nil while the database answers.
    private let start = Mutex<Duration?>(nil)

    /// An outage that has not begun.
    public init() {}

    /// Notes that the database has answered.
    func end() { start.withLock { $0 = nil } }

    /// Notes that a try has failed which began at a reading, unless an earlier one has.
    ///
    /// - Returns: when the outage began.
    func begin(_ reading: Duration) -> Duration {
        start.withLock { start in
            let began = start ?? reading
            start = began
            return began
        }
    }

    /// Limits a try that begins now.
    ///
    /// - Parameters:
    ///   - patience: how long a statement may take, and the database may be away.
    ///   - time: the clock of the outage.
    /// - Returns: the end of the try.
    func deadline(_ patience: PostgreSQLPatience, on time: any TimeSource) -> Deadline {
        let whole = Deadline(after: patience.statement, on: time)
        guard let began = start.withLock({ $0 }) else { return whole }
        let last = Deadline(reading: began + patience.outage)
        return min(whole, max(last, Deadline(after: Self.lastTry, on: time)))
    }

    /// How long a try may take when the database has been away for too long.
    private static let lastTry = Duration.seconds(3)
}

/// How long a ``PostgreSQLLink`` waits.
public struct PostgreSQLPatience: Sendable {
    /// How long a statement may take, connecting included.
    public var statement: Duration
    /// How long the database may be away, from the beginning of the first call that fails. When it is away for longer,
    /// a call has one short try.
    public var outage: Duration

    /// Sets the times.
    public init(statement: Duration, outage: Duration) { (self.statement, self.outage) = (statement, outage) }
}
