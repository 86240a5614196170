/// How long the periods of visits and the old statistics are.
public enum StatsGranularity: String, Codable, Hashable, Sendable, CaseIterable {
    case hour, day, week, month, quarter, year
}
