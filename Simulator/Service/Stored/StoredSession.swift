import PostgreSQL

/// The part of a stored session that an instance has not seen.
struct StoredSession: Sendable {
    /// How far a copy of the session in memory is.
    struct Position: Hashable, Sendable {
        /// Which of the sessions that resets made; from 1, and 0 for none.
        var generation: Int64 = 0
        /// The number of the newest request.
        var requests: Int64 = 0
        /// The name of the lease under which it was stored, which no other request has; empty without a request. In a
        /// database that was restored, another request can have its number.
        var lease = ""
    }

    var number: Int64
    var position: Position
    /// The body of the request that made it; nil for a copy of this generation.
    var creation: [UInt8]?
    /// The number of the event after which it pauses at first; nil for none.
    var pauseAfter: Int?
    /// The digest of its first view.
    var digest: [UInt8]
    /// The program that made it.
    var program: String
    /// The requests that the copy has not seen.
    var requests: [StoredRequest] = []
}

/// The right to change a session, until it ends by itself or another instance takes it.
struct SessionLease: Hashable, Sendable {
    var session: Int64
    var name: String
    /// The number of the lease in its session.
    var version: Int64
}

/// What became of a change.
enum StoredChange: Hashable, Sendable {
    case stored
    /// Another instance has taken the session, or the session has ended.
    case lost
    case refused(QuotaRefusal)
}

extension SessionStore {
    // MARK: Creation

    /// Chooses the number of a session.
    ///
    /// No number is given twice, also when the database is restored from a backup, which has forgotten the last ones:
    /// clients may still know their sessions. A server with another directory was started anew, and other tables have
    /// another sequence. Numbers then go on from the hundredths of a second since 2025: the earlier ones have not
    /// reached that, because they began so or at 1, and count sessions.
    ///
    /// - Returns: the number; a limit that is reached, which saves the work of making the session.
    /// - Throws: ``SessionStoreError``
    func newNumber(
        _ owner: String, _ quota: TokenQuota, limit: Int
    ) async throws(SessionStoreError) -> Result<Int64, QuotaRefusal> {
        let (own, all) = try await counts(owner)
        if all >= limit { return .failure(.allSessions(limit)) }
        if let most = quota.sessions, own >= most { return .failure(.sessions(most)) }
        let number = try await run(
            0, [Self.renumbering, Statement("SELECT nextval('service_session_number') AS number")]
        ) { rows throws(PostgreSQLError) -> Int64 in try rows[1].only().value("number") }
        return .success(number)
    }

    private static let renumbering = Statement(
        """
        UPDATE service_numbering
        SET run = pg_postmaster_start_time(), sequence = 'service_session_number'::regclass
        WHERE run <> pg_postmaster_start_time() OR sequence <> 'service_session_number'::regclass
        RETURNING setval('service_session_number', greatest(nextval('service_session_number'),
            (extract(epoch FROM clock_timestamp() - timestamptz '2025-01-01 00:00:00Z') * 100)::bigint)) AS number
        """)

    /// Stores a new session.
    ///
    /// - Parameters:
    ///   - session: the session.
    ///   - owner: the name of its token.
    ///   - seed: its seed, for those who look into the table.
    ///   - view: its first view.
    ///   - quota: the limits of the owner.
    ///   - limit: the most sessions of all owners.
    /// - Returns: a limit that is reached; nil when it is stored.
    /// - Throws: ``SessionStoreError``
    func create(
        _ session: StoredSession, owner: String, seed: UInt64, view: [UInt8], _ quota: TokenQuota, limit: Int
    ) async throws(SessionStoreError) -> QuotaRefusal? {
        let creation = session.creation ?? []
        return try await run(
            session.number,
            [
                // One after the other, so that the limits are exact.
                Statement("SELECT pg_advisory_xact_lock($1)", .integer(0x0CA2_D0FF_1CE0_0003)),
                Statement(Self.addToken, .text(owner)),
                Statement(
                    """
                    SELECT sessions, bytes, (SELECT sum(sessions)::bigint FROM service_token) AS every
                    FROM service_token WHERE name = $1
                    """, .text(owner)),
                Statement(
                    """
                    INSERT INTO service_session
                        (number, owner, seed, creation, pause_after, digest, program, bytes, view)
                    SELECT $2, $1, $3, $4, $5, $6, $7, $8, $9 FROM service_token
                    WHERE name = $1 AND sessions < $10 AND bytes + $8 <= $11
                        AND (SELECT sum(sessions) FROM service_token) < $12
                    ON CONFLICT (number) DO NOTHING
                    """, .text(owner), .integer(session.number), .integer(Int64(clamping: seed)), .bytes(creation),
                    .integer(session.pauseAfter.map(Int64.init)), .bytes(session.digest), .text(session.program),
                    .integer(Int64(creation.count)), .bytes(view), .integer(Int64(quota.sessions ?? Int.max)),
                    .integer(Int64(quota.retainedBytes ?? Int.max)), .integer(Int64(limit))),
                Statement(
                    "SELECT EXISTS (SELECT FROM service_session WHERE number = $1) AS stored",
                    .integer(session.number)),
            ]
        ) { rows throws(PostgreSQLError) in
            if try rows[4].only().value("stored") { return nil }
            let row = try rows[2].only()
            if try row.value("every", as: Int64.self) >= Int64(limit) { return .allSessions(limit) }
            if let most = quota.sessions, try row.value("sessions", as: Int64.self) >= Int64(most) {
                return .sessions(most)
            }
            return .bytes(quota.retainedBytes ?? 0)
        }
    }

    // MARK: Reading

    /// Returns a session, as far as a copy has not seen it.
    ///
    /// - Parameters:
    ///   - number: the number.
    ///   - owner: whose it is; nil for anyone's.
    ///   - known: how far the copy is.
    /// - Returns: the session; nil without one.
    /// - Throws: ``SessionStoreError``
    func look(
        at number: Int64, of owner: String?, after known: StoredSession.Position
    ) async throws(SessionStoreError) -> StoredSession? {
        try await run(number, [Self.use(number, owner), Self.look(number, owner, known)]) {
            rows throws(PostgreSQLError) in
            try Self.session(rows[1])
        }
    }

    /// Keeps a session from ending for idleness. Not at each request, because most only read.
    private static func use(_ number: Int64, _ owner: String?) -> Statement {
        Statement(
            "UPDATE service_session SET used = clock_timestamp() WHERE number = $1"
                + " AND owner = $2 AND used < clock_timestamp() - interval '10 seconds'", .integer(number),
            .text(owner))
    }

    /// One statement, so that the requests are those of the generation. A copy whose newest request is another one than
    /// that of the database is of no use, and gets all of them.
    private static func look(_ number: Int64, _ owner: String?, _ known: StoredSession.Position) -> Statement {
        Statement(
            """
            SELECT s.number AS session, s.generation, s.requests, s.pause_after, s.digest AS first, s.program AS maker,
                c.lease, CASE WHEN NOT c.is_current AND coalesce(r.number, 1) = 1 THEN s.creation END AS creation,
                r.number, r.method, r.place, r.key, r.body, r.digest, r.program
            FROM service_session s CROSS JOIN LATERAL (
                SELECT s.generation = $3 AND ($4 = 0 OR coalesce((
                        SELECT q.lease = $5 FROM service_request q WHERE q.session = s.number AND q.number = $4),
                        false)) AS is_current,
                    coalesce((
                        SELECT q.lease FROM service_request q WHERE q.session = s.number AND q.number = s.requests),
                        '') AS lease
                OFFSET 0) c
            LEFT JOIN service_request r
                ON r.session = s.number AND r.number > CASE WHEN c.is_current THEN $4 ELSE 0 END
            WHERE s.number = $1 AND ($2::text IS NULL OR s.owner = $2) ORDER BY r.number
            """, .integer(number), .text(owner), .integer(known.generation), .integer(known.requests),
            .text(known.lease))
    }

    private static func session(_ rows: PostgreSQLRows) throws(PostgreSQLError) -> StoredSession? {
        guard let first = rows.first else { return nil }
        var session = StoredSession(
            number: try first.value("session"),
            position: .init(
                generation: try first.value("generation"), requests: try first.value("requests"),
                lease: try first.value("lease")),
            creation: try first.optional("creation"),
            pauseAfter: try first.optional("pause_after", as: Int64.self).map { Int($0) },
            digest: try first.value("first"), program: try first.value("maker"))
        for row in rows where try row.optional("number", as: Int64.self) != nil {
            session.requests.append(try StoredRequest(row))
        }
        return session
    }

    // MARK: Changes

    /// The answer to an instance that asks for a session.
    enum TakeAnswer: Sendable {
        case taken(SessionLease, StoredSession)
        /// Another instance has it.
        case held
        case noSession
    }

    /// Takes the lease of a session, unless another instance has it.
    ///
    /// - Parameters:
    ///   - number: the number of the session.
    ///   - owner: whose it is.
    ///   - name: the name of the lease.
    ///   - known: how far the copy of this instance is.
    /// - Returns: the answer.
    /// - Throws: ``SessionStoreError``
    func take(
        _ number: Int64, of owner: String, as name: String, after known: StoredSession.Position
    ) async throws(SessionStoreError) -> TakeAnswer {
        try await run(
            number,
            [
                Statement(
                    """
                    UPDATE service_session SET version = version + 1, holder = $3, used = clock_timestamp(),
                        leased_until = clock_timestamp() + $4 * interval '1 millisecond'
                    WHERE number = $1 AND owner = $2
                        AND (holder IS NULL OR holder = $3 OR leased_until < clock_timestamp())
                    RETURNING version
                    """, .integer(number), .text(owner), .text(name), .milliseconds(timing.lease)),
                Self.look(number, owner, known),
            ]
        ) { rows throws(PostgreSQLError) in
            guard let session = try Self.session(rows[1]) else { return .noSession }
            guard let row = rows[0].first else { return .held }
            return .taken(SessionLease(session: number, name: name, version: try row.value("version")), session)
        }
    }

    /// Renews a lease. One that was lost stays lost, and the change fails at its end.
    func renew(_ lease: SessionLease) async {
        let statement = Statement(
            "UPDATE service_session SET leased_until = clock_timestamp() + $4 * interval '1 millisecond'" + Self.isHeld,
            .integer(lease.session), .integer(lease.version), .text(lease.name), .milliseconds(timing.lease))
        _ = try? await run(lease.session, [statement]) { _ in }
    }

    /// Gives back a lease without a change.
    func release(_ lease: SessionLease) async {
        let statement = Statement(
            "UPDATE service_session SET holder = NULL, leased_until = NULL" + Self.isHeld, .integer(lease.session),
            .integer(lease.version), .text(lease.name))
        // It ends also by itself.
        _ = try? await run(lease.session, [statement]) { _ in }
    }

    private static let isHeld = " WHERE number = $1 AND version = $2 AND holder = $3"

    /// Stores a request and ends the lease.
    ///
    /// - Parameters:
    ///   - request: the request, with its number.
    ///   - lease: the lease of the session.
    ///   - view: the view of the session after it.
    ///   - owner: the name of its token.
    ///   - quota: the limits of the owner.
    /// - Returns: what became of it.
    /// - Throws: ``SessionStoreError``; then it may be stored.
    func append(
        _ request: StoredRequest, _ lease: SessionLease, view: [UInt8], owner: String, _ quota: TokenQuota
    ) async throws(SessionStoreError) -> StoredChange {
        let most = Int64(quota.retainedBytes ?? Int.max)
        // A limit of bytes is exact: the changes of one token come one after the other then.
        let lock = quota.retainedBytes == nil ? "" : " FOR UPDATE"
        return try await run(
            lease.session,
            [
                Statement("SELECT bytes FROM service_token WHERE name = $1" + lock, .text(owner)),
                Statement(
                    """
                    WITH held AS (
                        UPDATE service_session
                        SET requests = $4, bytes = bytes + $5, view = $6, holder = NULL, leased_until = NULL,
                            used = clock_timestamp()
                        WHERE number = $1 AND version = $2 AND holder = $3 AND requests = $4 - 1
                            AND (SELECT bytes FROM service_token WHERE name = $7) + $5 <= $8
                        RETURNING number)
                    INSERT INTO service_request (session, number, lease, method, place, key, body, digest, program)
                    SELECT number, $4, $3, $9, $10, $11, $12, $13, $14 FROM held
                    """, .integer(lease.session), .integer(lease.version), .text(lease.name), .integer(request.number),
                    .integer(request.size), .bytes(view), .text(owner), .integer(most), .text(request.method),
                    .text(request.place), .text(request.key), .bytes(request.body), .bytes(request.digest),
                    .text(request.program)),
                Statement(
                    """
                    SELECT EXISTS (
                            SELECT FROM service_request WHERE session = $1 AND number = $4 AND lease = $3) AS stored,
                        EXISTS (
                            SELECT FROM service_session WHERE number = $1 AND version = $2 AND holder = $3) AS held
                    """, .integer(lease.session), .integer(lease.version), .text(lease.name),
                    .integer(request.number)),
            ]
        ) { rows throws(PostgreSQLError) in
            let row = try rows[2].only()
            if try row.value("stored") { return .stored }
            return try row.value("held") ? .refused(.bytes(quota.retainedBytes ?? 0)) : .lost
        }
    }

    /// Begins a session anew and ends the lease.
    ///
    /// - Parameters:
    ///   - lease: the lease of the session.
    ///   - digest: the digest of its first view.
    ///   - view: its first view.
    /// - Returns: whether the lease was still held.
    /// - Throws: ``SessionStoreError``; then it may be done.
    func reset(
        _ lease: SessionLease, digest: [UInt8], view: [UInt8]
    ) async throws(SessionStoreError) -> StoredSession.Position? {
        try await run(
            lease.session,
            [
                Statement(
                    "DELETE FROM service_request WHERE session ="
                        + " (SELECT number FROM service_session" + Self.isHeld + " FOR UPDATE)",
                    .integer(lease.session), .integer(lease.version), .text(lease.name)),
                Statement(
                    """
                    UPDATE service_session
                    SET generation = generation + 1, requests = 0, bytes = length(creation), pause_after = NULL,
                        digest = $4, program = $5, view = $6, holder = NULL, leased_until = NULL,
                        used = clock_timestamp()
                    """ + Self.isHeld + " RETURNING generation", .integer(lease.session), .integer(lease.version),
                    .text(lease.name), .bytes(digest), .text(program), .bytes(view)),
            ]
        ) { rows throws(PostgreSQLError) in
            guard let row = rows[1].first else { return nil }
            return .init(generation: try row.value("generation"))
        }
    }

    /// Ends a session.
    ///
    /// - Throws: ``SessionStoreError``
    func delete(_ number: Int64) async throws(SessionStoreError) {
        try await run(
            number, [Statement("DELETE FROM service_session WHERE number = $1", .integer(number))]
        ) { _ in }
    }
}
