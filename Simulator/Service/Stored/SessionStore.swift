import Cryptography
public import Determinism
public import PostgreSQL
import Synchronization
import Text

/// The sessions of a service in tables of a PostgreSQL database, so that any instance of the service continues any
/// session.
///
/// A session is the body of the request that made it and the log of the requests that changed it. An instance takes the
/// lease of a session for one request, repeats what it has not seen, carries out the request, and stores it in the
/// transaction that ends the lease; only then it answers. Leases are numbered: an instance whose lease has ended can't
/// store anything when another one has taken the session since. Leases and idle times are measured by the clock of the
/// server alone.
///
/// No card number, PIN, or secret of a token is in the tables; see ``StoredRequest``.
public final class SessionStore: Sendable {
    /// What carries the answers of this program, for example `0.2.0, build 0123456789abcdef`.
    public let program: String
    let time: any TimeSource
    let timing: SessionStoreTiming
    private let links: [PostgreSQLLink]
    /// Tells the leases of instances apart.
    private let instance: String
    private let leases = Mutex(0)

    /// The connections of an instance. A statement is short, so that a few are enough for any number of sessions.
    private static let connections = 4

    /// Connects, and makes the tables when there are none.
    ///
    /// - Parameters:
    ///   - address: the database. The tables are in the first schema of its search path.
    ///   - program: the version and build of this program.
    ///   - time: measures waits and pauses of this process.
    ///   - random: names this instance.
    ///   - timing: leases and waits.
    /// - Returns: the store.
    /// - Throws: ``SessionStoreError``
    public static func open(
        _ address: PostgreSQLAddress, program: String, time: any TimeSource,
        random: any RandomSource = SystemRandomSource(), timing: SessionStoreTiming = SessionStoreTiming()
    ) async throws(SessionStoreError) -> SessionStore {
        let store = SessionStore(address, program, time, random, timing)
        do throws(PostgreSQLError) { try await store.links[0].connect() } catch { throw SessionStoreError(error) }
        try await SessionStoreSchema.prepare(store.links[0])
        return store
    }

    private init(
        _ address: PostgreSQLAddress, _ program: String, _ time: any TimeSource, _ random: any RandomSource,
        _ timing: SessionStoreTiming
    ) {
        (self.program, self.time, self.timing) = (program, time, timing)
        instance = random.bytes(8).lowercaseHexadecimal
        let outage = PostgreSQLOutage()
        links = (0..<Self.connections).map { _ in
            PostgreSQLLink(
                to: address, time: time,
                patience: PostgreSQLPatience(statement: timing.statement, outage: timing.outage), outage: outage)
        }
    }

    /// Closes the connections.
    public func close() async { for link in links { await link.close() } }

    /// Returns a name that no other lease has.
    func newLease() -> String {
        let number = leases.withLock { count in
            count += 1
            return count
        }
        return "\(instance)/\(number)"
    }

    /// Runs statements, which may run twice, over one of the connections.
    ///
    /// - Parameters:
    ///   - number: chooses the connection, so that a slow session holds up few others.
    ///   - statements: the statements, which are committed together.
    ///   - read: reads their rows.
    /// - Returns: the value of `read`.
    /// - Throws: ``SessionStoreError``
    func run<Value>(
        _ number: Int64, _ statements: [Statement],
        _ read: ([PostgreSQLRows]) throws(PostgreSQLError) -> Value
    ) async throws(SessionStoreError) -> Value {
        let link = links[Int(number.magnitude % UInt64(links.count))]
        do throws(PostgreSQLError) { return try read(try await link.run(statements)) } catch {
            throw SessionStoreError(error)
        }
    }

    // MARK: All sessions

    /// The sessions of an owner, and of all.
    func counts(_ owner: String) async throws(SessionStoreError) -> (own: Int, all: Int) {
        try await run(
            0,
            [
                Statement(
                    "SELECT coalesce(sum(sessions) FILTER (WHERE name = $1), 0)::bigint AS own,"
                        + " coalesce(sum(sessions), 0)::bigint AS every FROM service_token", .text(owner))
            ]
        ) { rows throws(PostgreSQLError) in
            let row = try rows[0].only()
            return (Int(try row.value("own", as: Int64.self)), Int(try row.value("every", as: Int64.self)))
        }
    }

    /// The views of an owner's sessions after their newest request, oldest first.
    func views(_ owner: String) async throws(SessionStoreError) -> [[UInt8]] {
        try await run(
            0, [Statement("SELECT view FROM service_session WHERE owner = $1 ORDER BY number", .text(owner))]
        ) { rows throws(PostgreSQLError) in
            var views: [[UInt8]] = []
            for row in rows[0] { views.append(try row.value("view")) }
            return views
        }
    }

    /// Ends sessions that no request has used for some time.
    ///
    /// - Parameters:
    ///   - limit: the time.
    ///   - most: the most sessions to end.
    /// - Returns: their numbers.
    /// - Throws: ``SessionStoreError``
    func endIdle(after limit: Duration, most: Int64 = 500) async throws(SessionStoreError) -> [Int64] {
        try await run(
            0,
            [
                Statement(
                    """
                    DELETE FROM service_session WHERE number IN (
                        SELECT number FROM service_session
                        WHERE used < clock_timestamp() - $1 * interval '1 millisecond'
                            AND (leased_until IS NULL OR leased_until < clock_timestamp())
                        ORDER BY used LIMIT $2 FOR UPDATE SKIP LOCKED)
                    RETURNING number
                    """, .milliseconds(limit), .integer(most))
            ]
        ) { rows throws(PostgreSQLError) in
            var numbers: [Int64] = []
            for row in rows[0] { numbers.append(try row.value("number")) }
            return numbers
        }
    }

    // MARK: Quotas

    /// Counts a request of an owner, unless it is one too many.
    ///
    /// - Returns: the limit that it would exceed; nil when it is counted.
    /// - Throws: ``SessionStoreError``
    func count(_ owner: String, _ quota: TokenQuota) async throws(SessionStoreError) -> QuotaRefusal? {
        guard quota.limitsRate else { return nil }
        let parameters: [SQLValue] = [
            .text(owner), .integer(quota.requestsPerSecond.map(Int64.init)),
            .integer(quota.requestsPerMinute.map(Int64.init)),
        ]
        return try await run(
            1,
            [
                Statement(Self.addToken, .text(owner)),
                // A request that waited for another one counts in the newer one's second.
                Statement(
                    """
                    WITH now AS MATERIALIZED (SELECT clock_timestamp() AS time)
                    UPDATE service_token SET
                        second_requests = CASE WHEN second >= date_trunc('second', time) THEN second_requests + 1
                            ELSE 1 END,
                        second = greatest(second, date_trunc('second', time)),
                        minute_requests = CASE WHEN minute >= date_trunc('minute', time) THEN minute_requests + 1
                            ELSE 1 END,
                        minute = greatest(minute, date_trunc('minute', time))
                    FROM now WHERE name = $1
                        AND ($2::bigint IS NULL OR second < date_trunc('second', time) OR second_requests < $2)
                        AND ($3::bigint IS NULL OR minute < date_trunc('minute', time) OR minute_requests < $3)
                    RETURNING name
                    """, parameters),
                Statement(
                    """
                    SELECT ceil(extract(epoch FROM minute + interval '1 minute' - clock_timestamp()))::bigint AS rest,
                        coalesce(minute >= date_trunc('minute', clock_timestamp()) AND minute_requests >= $2, false)
                            AS minute
                    FROM service_token WHERE name = $1
                    """, .text(owner), parameters[2]),
            ]
        ) { rows throws(PostgreSQLError) in
            guard rows[1].isEmpty else { return nil }
            let row = try rows[2].only()
            if let limit = quota.requestsPerMinute, try row.value("minute") {
                return .rate(limit, per: "minute", seconds: Int(try row.value("rest", as: Int64.self)))
            }
            return .rate(quota.requestsPerSecond ?? 0, per: "second", seconds: 1)
        }
    }

    static let addToken = "INSERT INTO service_token (name) VALUES ($1) ON CONFLICT (name) DO NOTHING"
}

/// Times of a session store.
public struct SessionStoreTiming: Sendable {
    /// How long an instance has a session without a sign of life. It renews the lease three times within that.
    public var lease: Duration
    /// How long a request waits for a session that another instance has.
    public var wait: Duration
    /// How long a statement may take.
    public var statement: Duration
    /// How long the database may be away.
    public var outage: Duration
    /// How often event streams look for requests that other instances carried out.
    public var follow: Duration

    /// Sets the times.
    public init(
        lease: Duration = .seconds(15), wait: Duration = .seconds(25), statement: Duration = .seconds(10),
        outage: Duration = .seconds(15), follow: Duration = .milliseconds(500)
    ) {
        (self.lease, self.wait, self.statement) = (lease, wait, statement)
        (self.outage, self.follow) = (outage, follow)
    }
}
