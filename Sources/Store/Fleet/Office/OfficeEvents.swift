public import Determinism
import PostgreSQL

/// Something that a person or a lane did in a back office: who, what, and when.
public struct OfficeEvent: Hashable, Sendable {
    /// The number, which grows.
    public let id: Int64
    public let at: Timestamp
    /// The login that acted.
    public let login: String
    /// For example `invite`, `enroll`, `refuse`, `grant`, `erase`.
    public let action: String
    /// Nil for what concerns all shops.
    public let shop: String?
    public let detail: String
}

/// An office that a login has.
public struct HeldOffice: Hashable, Sendable {
    public let office: Office
    /// Nil for all shops.
    public let shop: String?
}

extension BackOffice {
    /// Returns events that the login may see, newest first.
    ///
    /// - Parameters:
    ///   - shop: only those of this shop; nil for all.
    ///   - event: only those before this number; nil for all.
    ///   - limit: the most events.
    /// - Returns: the events.
    /// - Throws: ``FleetError``, ``FleetError/noSuchShop`` also for one that the login may not see.
    public func events(
        of shop: String? = nil, before event: Int64? = nil, limit: Int
    ) async throws(FleetError) -> [OfficeEvent] {
        try await checkSees(shop)
        let rows = try await run(
            Statement(
                """
                SELECT e.id, (extract(epoch FROM e.at) * 1000)::bigint AS moment, e.login, e.action, e.shop, e.detail
                FROM fleet.event e WHERE ($1::text IS NULL OR e.shop = $1) AND ($2::bigint IS NULL OR e.id < $2)
                ORDER BY e.id DESC LIMIT $3
                """, .text(shop), .integer(event), .integer(Int64(limit))))
        return try Self.reading { () throws(PostgreSQLError) in
            try rows.map { row throws(PostgreSQLError) in
                OfficeEvent(
                    id: try row.value("id"), at: Timestamp(milliseconds: try row.value("moment")),
                    login: try row.value("login"), action: try row.value("action"), shop: try row.optional("shop"),
                    detail: try row.value("detail"))
            }
        }
    }

    /// Returns the offices of the login.
    ///
    /// - Throws: ``FleetError``
    public func offices() async throws(FleetError) -> [HeldOffice] {
        let rows = try await run(Statement("SELECT office, shop FROM fleet.my_offices() ORDER BY office, shop"))
        return try Self.reading { () throws(PostgreSQLError) in
            var offices: [HeldOffice] = []
            for row in rows {
                guard let office = Office(rawValue: try row.value("office")) else { continue }
                offices.append(HeldOffice(office: office, shop: try row.optional("shop")))
            }
            return offices
        }
    }
}
