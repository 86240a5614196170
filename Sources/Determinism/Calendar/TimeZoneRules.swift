/// By how much the clocks of a place differ from UTC, then and now.
public struct TimeZoneRules: Hashable, Sendable {
    /// From when on, in seconds since the epoch, which offset holds. Ascending.
    struct Change: Hashable, Sendable {
        let second: Int64
        let offset: Int
    }

    /// What holds before the first change.
    let first: Int
    let changes: [Change]
    /// What holds after the last change; nil when that is the last change's offset.
    let yearly: YearlyTimeZoneRule?

    init(first: Int, changes: [Change] = [], yearly: YearlyTimeZoneRule? = nil) {
        (self.first, self.changes, self.yearly) = (first, changes, yearly)
    }

    /// A place whose clocks are never changed.
    ///
    /// - Parameter offsetSeconds: seconds east of UTC.
    public init(offsetSeconds: Int) { self.init(first: offsetSeconds) }

    public static let utc = TimeZoneRules(offsetSeconds: 0)

    /// Seconds east of UTC of the clock on the wall at `moment`.
    public func offsetSeconds(at moment: Timestamp) -> Int {
        let second = moment.milliseconds / 1000 - (moment.milliseconds % 1000 < 0 ? 1 : 0)
        guard let last = changes.last else { return yearly?.offset(at: second) ?? first }
        if second >= last.second { return yearly?.offset(at: second) ?? last.offset }
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].second <= second { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : changes[low - 1].offset
    }

    /// The date and time that a clock on the wall shows at `moment`.
    public func civil(at moment: Timestamp) -> CivilDate {
        moment.civil(offsetSeconds: offsetSeconds(at: moment))
    }
}
