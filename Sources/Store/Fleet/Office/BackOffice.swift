public import Connections
public import Determinism
import PostgreSQL
public import Storage

/// The database of a back office. It connects with the first call, and again after a failure; each call has a deadline.
public actor BackOffice {
    /// The database without passwords.
    public nonisolated let description: String

    let time: any TimeSource
    private let limit: Duration
    private let line: OfficeLine
    private let role: OfficeRole?

    /// Reads the address, and connects to nothing yet.
    ///
    /// - Parameters:
    ///   - address: a connection string; see `PostgreSQLAddress`.
    ///   - limit: the longest time of a call, connecting included.
    ///   - time: measures it.
    /// - Throws: ``FleetError``
    public init(
        _ address: String, limit: Duration = .seconds(30), time: any TimeSource
    ) throws(FleetError) {
        let parsed: PostgreSQLAddress
        do throws(PostgreSQLError) { parsed = try PostgreSQLAddress(address) } catch { throw FleetError(error) }
        description = parsed.description
        line = OfficeLine(address: parsed, time: time)
        (self.limit, self.time, role) = (limit, time, nil)
    }

    private init(_ office: BackOffice, as role: OfficeRole) {
        (description, line, limit, time) = (office.description, office.line, office.limit, office.time)
        self.role = role
    }

    /// Acts as another login, over the same connection: the server's rights and row-level security decide, as if the
    /// login had connected itself. The login of the connection must be able to take its role.
    ///
    /// - Parameters:
    ///   - login: the login whose role each call takes, for one transaction.
    ///   - isReadOnly: whether the server refuses changes. A call that only reads, and finds its connection lost, is
    ///     made once more over a new one.
    /// - Returns: the back office as the login sees it.
    public nonisolated func acting(as login: String, isReadOnly: Bool) -> BackOffice {
        BackOffice(self, as: OfficeRole(login: login, isReadOnly: isReadOnly))
    }

    /// The back office for statements that only read, as the login of the connection.
    nonisolated var reader: BackOffice { BackOffice(self, as: OfficeRole(login: nil, isReadOnly: true)) }

    /// Closes the connection.
    public func close() async { await line.close() }

    /// Runs a statement, which the server commits by itself, in the role of the login that acts.
    func run(_ statement: Statement) async throws(FleetError) -> PostgreSQLRows {
        let deadline = Deadline(after: limit, on: time)
        guard let role else {
            return try await using(deadline) { connection throws(PostgreSQLError) in
                try await connection.run(statement, deadline: deadline)
            }
        }
        do throws(FleetError) {
            return try await using(deadline) { connection throws(PostgreSQLError) in
                try await role.run(statement, on: connection, deadline)
            }
        } catch {
            // The server has restarted, or has closed a connection that rested: what only reads can be asked again.
            guard role.isReadOnly, error.isLostConnection else { throw error }
            return try await using(deadline) { connection throws(PostgreSQLError) in
                try await role.run(statement, on: connection, deadline)
            }
        }
    }

    private func using<Value: Sendable>(
        _ deadline: Deadline, _ work: (PostgreSQLConnection) async throws(PostgreSQLError) -> Value
    ) async throws(FleetError) -> Value {
        do throws(PostgreSQLError) {
            return try await work(try await line.open(deadline))
        } catch {
            // What failed once may have taken the connection with it; the next call finds out. A standby does not:
            // another server may have the address by then.
            if error.report?.state == .readOnlyTransaction { await close() }
            throw FleetError(error)
        }
    }

    /// Refuses a shop that is not there, or that the login may not see: its empty list would look right.
    ///
    /// - Throws: ``FleetError``, ``FleetError/noSuchShop``
    func checkSees(_ shop: String?) async throws(FleetError) {
        guard let shop else { return }
        let found = try await run(Statement("SELECT 1 AS found FROM fleet.shop s WHERE s.name = $1", .text(shop)))
        guard !found.isEmpty else { throw .noSuchShop }
    }

    /// - Throws: ``FleetError/malformedDay``
    static func check(days: String?...) throws(FleetError) {
        for day in days.compactMap(\.self) where !isDay(day) { throw .malformedDay }
    }

    /// Whether a text is a day that the server has: `2026-01-02`, from the year 1 on.
    public static func isDay(_ text: String) -> Bool {
        CivilDate(text).map { $0.dayText == text && $0.year > 0 } ?? false
    }

    // MARK: For the owner of the database

    /// Makes the schema, or adds the steps that it lacks. Lanes go on to ship meanwhile.
    ///
    /// - Parameter deadline: the end of all steps.
    /// - Returns: the number of the last step before and after.
    /// - Throws: ``FleetError``, ``FleetError/otherFleet(database:)`` when another database of the server has a back
    ///   office, and this one has none.
    public func setUp(_ deadline: Deadline) async throws(FleetError) -> (from: Int64, to: Int64) {
        try await checkIsOnly()
        return try await setUpBesideOthers(deadline)
    }

    /// Roles belong to the server and not to a database: the login of one office's server could take the roles of those
    /// who have tokens of the other.
    private func checkIsOnly() async throws(FleetError) {
        let others = try await run(
            Statement(
                """
                SELECT DISTINCT d.datname AS name FROM pg_shdepend s
                JOIN pg_database d ON d.oid = s.dbid AND d.datname <> current_database()
                JOIN pg_roles r ON r.oid = s.refobjid AND s.refclassid = 'pg_authid'::regclass
                WHERE r.rolname IN ('fleet_lane', 'fleet_clerk', 'fleet_manager', 'fleet_auditor', 'fleet_server')
                    AND to_regclass('fleet.step') IS NULL
                ORDER BY 1 LIMIT 1
                """))
        guard let other = others.first else { return }
        throw .otherFleet(
            database: try Self.reading { () throws(PostgreSQLError) in try other.value("name", as: String.self) })
    }

    /// Sets up without a look at the other databases of the server, as tests do that share one.
    func setUpBesideOthers(_ deadline: Deadline) async throws(FleetError) -> (from: Int64, to: Int64) {
        let time = time
        return try await using(deadline) { connection throws(PostgreSQLError) in
            try await FleetSchema(connection: connection, time: time).migrate(deadline)
        }
    }

    /// Adds a shop, or changes the time zone of one that is there. The day of what was captured before stays.
    ///
    /// - Parameters:
    ///   - name: the shop.
    ///   - timeZone: a time zone of the server, in which the days of the shop begin; nil for that which the shop has,
    ///     or UTC for a new one.
    /// - Throws: ``FleetError``
    public func addShop(_ name: String, timeZone: String?) async throws(FleetError) {
        _ = try await run(Statement("SELECT fleet.open_shop($1, $2)", .text(name), .text(timeZone)))
    }

    /// Gives a login of the server an office in a shop; in all shops without one.
    ///
    /// - Throws: ``FleetError``
    public func grant(_ office: Office, to login: String, in shop: String?) async throws(FleetError) {
        _ = try await run(
            Statement(
                "SELECT fleet.grant_office($1, $2, $3)", .text(login), .text(office.rawValue), .text(shop)))
    }

    /// Takes offices of a login away.
    ///
    /// - Parameters:
    ///   - office: the office; nil for all.
    ///   - login: the login, which the server need not have any more.
    ///   - shop: only the office in this shop; nil for all offices, those for all shops included.
    /// - Returns: how many were taken away.
    /// - Throws: ``FleetError``
    public func revoke(_ office: Office?, from login: String, in shop: String?) async throws(FleetError) -> Int64 {
        let rows = try await run(
            Statement(
                "SELECT fleet.revoke_office($1, $2, $3) AS revoked", .text(login), .text(office?.rawValue),
                .text(shop)))
        return try Self.reading { () throws(PostgreSQLError) in try rows.only().value("revoked") }
    }

    // MARK: For managers

    /// Allows a machine that has the token to become a lane. The back office keeps a hash of the token.
    ///
    /// - Throws: ``FleetError``
    public func invite(
        _ lane: String, of shop: String, token: String, hours: Int
    ) async throws(FleetError) {
        _ = try await run(
            Statement(
                "SELECT fleet.invite($1, $2, $3, $4)", .text(shop), .text(lane), .text(token), .integer(Int64(hours))))
    }

    /// Erases the personal data of payments: last four digits, order, codes, receipts. Amounts, states, brands stay.
    ///
    /// - Parameters:
    ///   - shop: the shop.
    ///   - lane: the name of a lane; nil for all.
    ///   - payment: the number of a payment; nil for all.
    ///   - days: only payments that are older than so many days; nil for all.
    /// - Returns: the number of payments.
    /// - Throws: ``FleetError``
    public func erase(
        shop: String, lane: String?, payment: Int64?, olderThan days: Int?
    ) async throws(FleetError) -> Int64 {
        let rows = try await run(
            Statement(
                "SELECT fleet.erase($1, $2, $3, $4) AS erased", .text(shop), .text(lane), .integer(payment),
                .integer(days.map(Int64.init))))
        return try Self.reading { () throws(PostgreSQLError) in try rows.only().value("erased") }
    }

    // MARK: For lanes

    /// Makes a journal the lane that a token was made for. When the answer is lost, the same journal can ask again.
    ///
    /// - Throws: ``FleetError``
    public func enroll(_ token: String, _ secret: LaneSecret) async throws(FleetError) -> Lane {
        try await lane(Statement("SELECT * FROM fleet.enroll($1, $2)", .text(token), .text(secret.revealed())))
    }

    /// Begins the next epoch of a lane, in which the lane ships everything anew.
    ///
    /// - Throws: ``FleetError``
    public func renew(_ lane: Lane, _ secret: LaneSecret) async throws(FleetError) -> Lane {
        try await self.lane(
            Statement(
                "SELECT * FROM fleet.renew($1, $2, $3)", .text(lane.id), .text(secret.revealed()),
                .integer(lane.epoch)))
    }

    private func lane(_ statement: Statement) async throws(FleetError) -> Lane {
        let rows = try await run(statement)
        return try Self.reading { () throws(PostgreSQLError) in
            let row = try rows.only()
            return Lane(
                id: try row.value("lane_id"), shop: try row.value("lane_shop"), name: try row.value("lane_name"),
                epoch: try row.value("lane_epoch"))
        }
    }

    static func reading<Value>(_ body: () throws(PostgreSQLError) -> Value) throws(FleetError) -> Value {
        do throws(PostgreSQLError) { return try body() } catch { throw FleetError(error) }
    }
}

/// The rights of a login in a back office.
public enum Office: String, Sendable, CaseIterable {
    /// Ships, and sees nothing.
    case lane
    /// Sees lanes, payments, and totals.
    case clerk
    /// Sees also changes and events; invites lanes, and erases personal data.
    case manager
    /// Sees what a manager sees, and changes nothing.
    case auditor
    /// Serves people over HTTP: sees nothing itself, and takes the roles of those who have tokens.
    case server

    /// Whether the office counts for all shops, always.
    public var isForAllShops: Bool { self == .lane || self == .server }
}
