internal import ArgumentParser
internal import Determinism
internal import Yosemite

/// A range of days as it is given on the command line: `today`, `week`, `month`, `year`, `2026-01-02..2026-01-31`.
struct StatsRange: ExpressibleByArgument, Sendable {
    let range: StatsTimeRangeV4

    static let words: [(word: String, range: StatsTimeRangeV4)] = [
        ("today", .today), ("week", .thisWeek), ("month", .thisMonth), ("year", .thisYear),
    ]

    init(_ range: StatsTimeRangeV4) { self.range = range }

    init?(argument: String) {
        if let known = Self.words.first(where: { $0.word == argument }) {
            range = known.range
            return
        }
        guard let dots = argument.firstRange(of: ".."), let first = Day(argument: String(argument[..<dots.lowerBound])),
            let last = Day(argument: String(argument[dots.upperBound...]))
        else { return nil }
        range = .custom(from: first.date, to: last.date)
    }

    var defaultValueDescription: String {
        Self.words.first { $0.range == range }?.word ?? range.name
    }
}
