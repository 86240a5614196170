internal import GRDB
internal import Glibc

/// Waits for what another process has locked, where SQLite does not wait.
///
/// SQLite's busy timeout does not hold where a reader becomes a writer, since two of them would wait for each other.
/// That is so in the change to the write-ahead log: of several programs that make one database together, all but one
/// are told at once that it is busy.
struct LockPatience: Sendable {
    /// How long to pause after each refusal. After the last of them it is final.
    let pauses: [Duration]
    /// Lets the calling thread rest.
    let pause: @Sendable (Duration) -> Void

    /// Five seconds in all, as SQLite is told to wait elsewhere: a few short pauses, since the change takes as long as
    /// the disk takes to flush, and then longer ones.
    static let standard = LockPatience(
        pauses: [1, 2, 5, 10, 20, 50].map { .milliseconds($0) } + repeatElement(.milliseconds(100), count: 49)
    ) { duration in
        var rest = timespec(tv_sec: 0, tv_nsec: Int(duration / .nanoseconds(1)))
        // A signal that comes in between makes the pause shorter, which does no harm.
        nanosleep(&rest, nil)
    }

    /// Has the database keep a write-ahead log. One that has it already is left as it is.
    ///
    /// - Throws: `DatabaseError`, `SQLITE_BUSY` when another process was in the way all the time.
    func turnWriteAheadLogOn(in database: Database) throws {
        // Every refusal comes at once and is waited for here: else both would wait, one after the other.
        let timeout = try Int.fetchOne(database, sql: "PRAGMA busy_timeout") ?? 0
        try database.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? database.execute(sql: "PRAGMA busy_timeout = \(timeout)") }
        for duration in pauses {
            do {
                return try database.execute(sql: "PRAGMA journal_mode = WAL")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                pause(duration)
            }
        }
        try database.execute(sql: "PRAGMA journal_mode = WAL")
    }
}
