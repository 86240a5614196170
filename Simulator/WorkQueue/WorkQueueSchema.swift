import PostgreSQL

/// The tables of a queue. Their names begin with `work_`; they are made in the first schema of the search path.
enum WorkQueueSchema {
    /// The newest version that this program knows.
    static var version: Int64 { Int64(steps.count) }

    /// A number of this program's own: one task at a time makes or changes the tables (`pg_advisory_xact_lock`).
    private static let lock: Int64 = 0x0CA2_D0FF_1CE0_0001

    /// What brings the tables from one version to the next. A released step never changes.
    private static let steps = [
        """
        CREATE TABLE work_job (
            id text PRIMARY KEY,
            kind text NOT NULL,
            program text NOT NULL,
            spec bytea NOT NULL,
            state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'canceled', 'failed')),
            cause text NOT NULL DEFAULT '',
            begun timestamptz NOT NULL DEFAULT clock_timestamp(),
            leased_until timestamptz NOT NULL
        );
        CREATE TABLE work_batch (
            job text NOT NULL REFERENCES work_job ON DELETE CASCADE,
            number bigint NOT NULL,
            input bytea NOT NULL,
            taken bigint NOT NULL DEFAULT 0,
            worker text,
            leased_until timestamptz,
            result bytea,
            PRIMARY KEY (job, number)
        );
        CREATE INDEX work_batch_open ON work_batch (job, number) WHERE result IS NULL;
        CREATE INDEX work_batch_done ON work_batch (job, number) WHERE result IS NOT NULL;
        CREATE TABLE work_worker (
            job text NOT NULL REFERENCES work_job ON DELETE CASCADE,
            name text NOT NULL,
            seen timestamptz NOT NULL,
            done bigint NOT NULL DEFAULT 0,
            PRIMARY KEY (job, name)
        );
        """,
        // A worker that has ended is not seen any more; a job can lose its coordinator.
        """
        ALTER TABLE work_worker ALTER COLUMN seen DROP NOT NULL;
        UPDATE work_worker SET seen = NULL WHERE seen = '-infinity';
        ALTER TABLE work_job DROP CONSTRAINT work_job_state_check;
        ALTER TABLE work_job ADD CONSTRAINT work_job_state_check
            CHECK (state IN ('running', 'done', 'canceled', 'failed', 'abandoned'));
        """,
    ]

    /// Makes the tables, or brings them to the newest version. Several programs may do so at the same time.
    ///
    /// - Throws: ``WorkQueueError``
    static func prepare(_ link: QueueLink) async throws(WorkQueueError) {
        // Only a user who may make tables needs the right to do so.
        var found = try await made(link)
        if found < version { found = try await bringUp(link) }
        guard found <= version else { throw WorkQueueError.newerSchema(found: found, known: version) }
    }

    /// Returns the version of the tables; 0 without any.
    private static func made(_ link: QueueLink) async throws(WorkQueueError) -> Int64 {
        let look = Statement("SELECT to_regclass('work_schema') IS NOT NULL AS made")
        let results = try await link.run(look)
        let isMade = try WorkQueueError.reading { () throws(PostgreSQLError) -> Bool in
            try results[0].only().value("made")
        }
        guard isMade else { return 0 }
        let rows = try await link.run(newest)
        return try WorkQueueError.reading { () throws(PostgreSQLError) -> Int64 in
            try rows[0].only().value("version")
        }
    }

    private static let newest = Statement("SELECT coalesce(max(version), 0) AS version FROM work_schema")

    /// Takes the missing steps, and returns the version that was there.
    private static func bringUp(_ link: QueueLink) async throws(WorkQueueError) -> Int64 {
        try await link.transaction { transaction throws(PostgreSQLError) -> TransactionEnd<Int64> in
            try await transaction.run([
                Statement("SELECT pg_advisory_xact_lock($1)", .integer(lock)),
                Statement("CREATE TABLE IF NOT EXISTS work_schema (version bigint NOT NULL)"),
            ])
            let found: Int64 = try await transaction.run(newest).only().value("version")
            for (index, step) in steps.enumerated() where index >= found {
                // A statement at a time: the steps have no other semicolons.
                for part in step.split(separator: ";") where part.contains(where: \.isLetter) {
                    try await transaction.run(Statement(String(part)))
                }
                try await transaction.run(Statement("INSERT INTO work_schema VALUES ($1)", .integer(Int64(index) + 1)))
            }
            return .commit(found)
        }
    }
}
