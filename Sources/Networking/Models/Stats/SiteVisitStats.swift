/// Visits, period by period (`rest/v1.1/sites/{id}/stats/visits`).
public struct SiteVisitStats: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let date: String
    public let unit: StatsGranularity
    public let items: [SiteVisitStatsItem]

    /// The answer is a table: `fields` names the columns, and `data` holds the rows.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        siteID = try container.decode(Int64.self, forKey: .siteID)
        date = try container.decode(String.self, forKey: .date)
        unit = try container.decode(StatsGranularity.self, forKey: .unit)
        let table = try decoder.container(keyedBy: TableKeys.self)
        let fields = try table.decode([String].self, forKey: .fields)
        let rows = try table.decode([[JSONValue]].self, forKey: .data)
        func cell(_ name: String, _ row: [JSONValue]) -> String? {
            guard let index = fields.firstIndex(of: name), row.indices.contains(index) else { return nil }
            return row[index].textValue
        }
        items = try rows.map { row in
            guard let period = cell("period", row) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .data, in: table, debugDescription: "a row has no period")
            }
            // Columns that were not asked for are not there.
            return SiteVisitStatsItem(
                period: period, visitors: cell("visitors", row).flatMap { Int64($0) } ?? 0,
                views: cell("views", row).flatMap { Int64($0) } ?? 0)
        }
    }

    private enum CodingKeys: CodingKey { case siteID, date, unit, items }
    private enum TableKeys: CodingKey { case fields, data }
}
