import PostgreSQL

/// The tables of a session store. Their names begin with `service_`; they are made in the first schema of the search
/// path.
enum SessionStoreSchema {
    /// The newest version that this program knows.
    static var version: Int64 { Int64(steps.count) }

    /// A number of this program's own: one task at a time makes or changes the tables (`pg_advisory_xact_lock`).
    private static let lock: Int64 = 0x0CA2_D0FF_1CE0_0002

    /// What brings the tables from one version to the next, statement by statement. A released step never changes.
    private static let steps: [[String]] = [
        [
            """
            CREATE TABLE service_token (
                name text PRIMARY KEY,
                sessions bigint NOT NULL DEFAULT 0,
                bytes bigint NOT NULL DEFAULT 0,
                second timestamptz NOT NULL DEFAULT '-infinity',
                second_requests bigint NOT NULL DEFAULT 0,
                minute timestamptz NOT NULL DEFAULT '-infinity',
                minute_requests bigint NOT NULL DEFAULT 0)
            """,
            "CREATE SEQUENCE service_session_number",
            // `version` counts the leases; `generation` counts the resets.
            """
            CREATE TABLE service_session (
                number bigint PRIMARY KEY,
                owner text NOT NULL REFERENCES service_token,
                seed bigint NOT NULL,
                creation bytea NOT NULL,
                pause_after bigint,
                digest bytea NOT NULL,
                program text NOT NULL,
                generation bigint NOT NULL DEFAULT 1,
                version bigint NOT NULL DEFAULT 0,
                holder text,
                leased_until timestamptz,
                requests bigint NOT NULL DEFAULT 0,
                bytes bigint NOT NULL,
                view bytea NOT NULL,
                created timestamptz NOT NULL DEFAULT clock_timestamp(),
                used timestamptz NOT NULL DEFAULT clock_timestamp())
            """,
            "CREATE INDEX service_session_owner ON service_session (owner, number)",
            "CREATE INDEX service_session_used ON service_session (used)",
            """
            CREATE TABLE service_request (
                session bigint NOT NULL REFERENCES service_session ON DELETE CASCADE,
                number bigint NOT NULL,
                method text NOT NULL,
                place text NOT NULL,
                key text,
                body bytea NOT NULL,
                digest bytea NOT NULL,
                program text NOT NULL,
                lease text NOT NULL,
                PRIMARY KEY (session, number))
            """,
            // What a token has, so that no request adds it up.
            """
            CREATE FUNCTION service_count() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_OP = 'INSERT' THEN
                    UPDATE service_token SET sessions = sessions + 1, bytes = bytes + NEW.bytes
                    WHERE name = NEW.owner;
                ELSIF TG_OP = 'DELETE' THEN
                    UPDATE service_token SET sessions = sessions - 1, bytes = bytes - OLD.bytes
                    WHERE name = OLD.owner;
                ELSIF NEW.bytes <> OLD.bytes THEN
                    UPDATE service_token SET bytes = bytes + NEW.bytes - OLD.bytes WHERE name = NEW.owner;
                END IF;
                RETURN NULL;
            END $$
            """,
            """
            CREATE TRIGGER service_count AFTER INSERT OR DELETE OR UPDATE OF bytes ON service_session
            FOR EACH ROW EXECUTE FUNCTION service_count()
            """,
        ],
        [
            // Where the numbers of sessions come from: a run of the server, and a sequence. One that was restored has
            // another run or another sequence; see `newNumber`.
            """
            CREATE TABLE service_numbering (run timestamptz NOT NULL, sequence oid NOT NULL)
            """,
            """
            INSERT INTO service_numbering VALUES (pg_postmaster_start_time(), 'service_session_number'::regclass)
            """,
        ],
    ]

    private static let newest = Statement("SELECT coalesce(max(version), 0) AS version FROM service_schema")

    /// Makes the tables, or brings them to the newest version. Several programs may do so at the same time.
    ///
    /// - Throws: ``SessionStoreError``
    static func prepare(_ link: PostgreSQLLink) async throws(SessionStoreError) {
        let found: Int64
        do throws(PostgreSQLError) {
            // Only a user who may make tables needs the right to do so.
            let known = try await made(link)
            found = known < version ? try await bringUp(link) : known
        } catch { throw SessionStoreError(error) }
        guard found <= version else { throw SessionStoreError.newerSchema(found: found, known: version) }
    }

    /// Returns the version of the tables; 0 without any.
    private static func made(_ link: PostgreSQLLink) async throws(PostgreSQLError) -> Int64 {
        let look = Statement("SELECT to_regclass('service_schema') IS NOT NULL AS made")
        guard try await link.run([look])[0].only().value("made") else { return 0 }
        return try await link.run([newest])[0].only().value("version")
    }

    /// Takes the missing steps, and returns the version that was there.
    private static func bringUp(_ link: PostgreSQLLink) async throws(PostgreSQLError) -> Int64 {
        try await link.transaction { transaction throws(PostgreSQLError) -> TransactionEnd<Int64> in
            try await transaction.run([
                Statement("SELECT pg_advisory_xact_lock($1)", .integer(lock)),
                Statement("CREATE TABLE IF NOT EXISTS service_schema (version bigint NOT NULL)"),
            ])
            let found: Int64 = try await transaction.run(newest).only().value("version")
            for (index, step) in steps.enumerated() where index >= found {
                try await transaction.run(step.map { Statement($0) })
                try await transaction.run(
                    Statement("INSERT INTO service_schema VALUES ($1)", .integer(Int64(index) + 1)))
            }
            return .commit(found)
        }
    }
}
