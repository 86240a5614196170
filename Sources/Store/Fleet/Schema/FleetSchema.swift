import Connections
import Determinism
import PostgreSQL

/// The schema of a back office, `fleet`, and its steps. A released step is never edited.
///
/// A step adds, and takes nothing away that a lane of an older program needs. Each step is one transaction. It waits
/// for a lock only briefly, because those who ship would wait behind it, and is tried again after a pause.
struct FleetSchema {
    /// Step n, counted from 1.
    static let steps = [tables, shippingFunctions, people, access, might, parting]

    /// How long a step waits for a lock.
    private static let lockTimeout = "2s"
    private static let pause: Duration = .milliseconds(500)

    let connection: PostgreSQLConnection
    let time: any TimeSource
    /// The steps to run; those of this program, if a test has no others.
    var steps = FleetSchema.steps

    /// The number of the last step of the database; 0 without the schema.
    ///
    /// - Throws: ``PostgreSQLError``
    func version(_ deadline: Deadline) async throws(PostgreSQLError) -> Int64 {
        let exists = try await connection.run(
            Statement("SELECT to_regclass('fleet.step') IS NOT NULL AS found"), deadline: deadline)
        guard try exists.only().value("found") else { return 0 }
        return try await connection.run(
            Statement("SELECT coalesce(max(number), 0) AS version FROM fleet.step"), deadline: deadline
        ).only().value("version")
    }

    /// Runs the missing steps. Of several programs that do it at once, each step is run by one.
    ///
    /// - Returns: the number of the first step that this call found missing, and of the last step.
    /// - Throws: ``PostgreSQLError``
    func migrate(_ deadline: Deadline) async throws(PostgreSQLError) -> (from: Int64, to: Int64) {
        try await attempt(
            """
            SELECT pg_advisory_xact_lock(4784950719341);
            CREATE SCHEMA IF NOT EXISTS fleet;
            CREATE TABLE IF NOT EXISTS fleet.step (number bigint PRIMARY KEY, at timestamptz NOT NULL);
            """, deadline)
        let found = try await version(deadline)
        for (index, step) in steps.enumerated().dropFirst(Int(found)) {
            do throws(PostgreSQLError) {
                try await attempt(
                    """
                    SET LOCAL lock_timeout = '\(Self.lockTimeout)';
                    INSERT INTO fleet.step VALUES (\(index + 1), clock_timestamp());
                    \(step)
                    """, deadline)
            } catch {
                // Another program has run the step meanwhile.
                guard error.report?.state == .uniqueViolation, try await version(deadline) > index else { throw error }
            }
        }
        return (found, try await version(deadline))
    }

    /// Runs a script, again while a lock is not free.
    private func attempt(_ script: String, _ deadline: Deadline) async throws(PostgreSQLError) {
        while true {
            do throws(PostgreSQLError) {
                return try await connection.runScript(script, deadline: deadline)
            } catch {
                guard error.report?.state == .lockNotAvailable || error.isConflict,
                    deadline.remaining(on: time) > Self.pause
                else { throw error }
                do throws(CancellationError) { try await time.sleep(for: Self.pause) } catch _ { throw error }
            }
        }
    }
}
