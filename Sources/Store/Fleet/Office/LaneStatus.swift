import PostgreSQL

/// The state of a lane, as its back office knows it.
public struct LaneStatus: Hashable, Sendable {
    public let shop: String
    public let name: String
    /// 32 hexadecimal digits.
    public let id: String
    public let epoch: Int64
    /// The number of the last entry that the back office has, in this epoch.
    public let applied: Int64
    /// The number of the last entry that the lane had written when it was heard last.
    public let written: Int64
    /// The age of the oldest change of the last batch when it was applied: the lane's clock then, less the time of the
    /// row's last change of state. Rows that are sent anew have theirs. Nil before the first.
    public let lag: Duration?
    /// How far the lane's clock is behind that of the server; negative when it is ahead.
    public let clockDifference: Duration?
    /// How long ago the lane was heard, by the server's clock; nil when it never was.
    public let silence: Duration?
    /// Why a batch was refused, as ``FleetError`` has it: `restored`, `lost`, `epoch`. It stays until the lane is
    /// enrolled again, because another copy of the lane may ship meanwhile. Nil when none was.
    public let refusal: String?
    /// Whether another journal has taken its place.
    public let isRetired: Bool
    public let payments: Int64
    /// The payments whose outcome is unknown.
    public let unknown: Int64
    /// The advices that wait for the host.
    public let advices: Int64
    /// The attempts that only an earlier epoch or another copy has: those that a restored backup lacks, when the lane
    /// has shipped all.
    public let lostAttempts: Int64

    /// The number of entries that wait at the lane, as far as it was heard.
    public var waiting: Int64 { max(0, written - applied) }

    /// Whether a text is the identity of a lane: 32 hexadecimal digits in lowercase.
    public static func isID(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

extension BackOffice {
    /// Returns the lanes of a shop, or those of all shops that the login may see, by shop and name.
    ///
    /// - Throws: ``FleetError``, ``FleetError/noSuchShop`` also for one that the login may not see.
    public func lanes(of shop: String? = nil) async throws(FleetError) -> [LaneStatus] {
        try await checkSees(shop)
        let rows = try await run(
            Statement(
                """
                SELECT l.shop, l.name, l.id, l.epoch, l.applied, l.written, l.lag, l.clock_difference, l.refused,
                    (extract(epoch FROM clock_timestamp() - l.heard_at) * 1000)::bigint AS silence,
                    l.retired_at IS NOT NULL AS retired,
                    (SELECT count(*) FROM fleet.payment p WHERE p.lane_id = l.id) AS payments,
                    (SELECT count(*) FROM fleet.payment p WHERE p.lane_id = l.id AND p.state = 'unknown') AS unknown,
                    (SELECT count(*) FROM fleet.attempt a WHERE a.lane_id = l.id AND a.has_advice) AS advices,
                    CASE WHEN l.written > 0 AND l.applied = l.written THEN
                        (SELECT count(*) FROM fleet.attempt a WHERE a.lane_id = l.id AND a.epoch < l.epoch)
                    ELSE 0 END AS lost
                FROM fleet.lane l WHERE $1::text IS NULL OR l.shop = $1 ORDER BY l.shop, l.name, l.enrolled_at
                """, .text(shop)))
        return try Self.reading { () throws(PostgreSQLError) in
            try rows.map { row throws(PostgreSQLError) in try LaneStatus(row) }
        }
    }
}

extension LaneStatus {
    fileprivate init(_ row: PostgreSQLRow) throws(PostgreSQLError) {
        (shop, name, id) = (try row.value("shop"), try row.value("name"), try row.value("id"))
        (epoch, applied, written) = (try row.value("epoch"), try row.value("applied"), try row.value("written"))
        lag = try row.optional("lag", as: Int64.self).map { .milliseconds($0) }
        clockDifference = try row.optional("clock_difference", as: Int64.self).map { .milliseconds($0) }
        silence = try row.optional("silence", as: Int64.self).map { .milliseconds($0) }
        (refusal, isRetired) = (try row.optional("refused"), try row.value("retired"))
        (payments, unknown) = (try row.value("payments"), try row.value("unknown"))
        (advices, lostAttempts) = (try row.value("advices"), try row.value("lost"))
    }
}
