internal import Determinism

/// The time that a report is about, and how it is divided.
struct ReportSpan: Sendable {
    let unit: CalendarUnit
    /// Seconds of the site's wall clock since 1970-01-01T00:00:00 there.
    let first: Int64
    let last: Int64
    let offsetSeconds: Int
    let page: PageChoice
    let isAscending: Bool
    let fields: [String]?

    init(_ call: Call, _ store: Store) throws(SiteError) {
        let offset = store.identity.offsetSeconds
        let parameters = call.parameters
        unit =
            CalendarUnit(
                rawValue: try parameters.choice("interval", CalendarUnit.allCases.map(\.rawValue), default: "week"))
            ?? .week
        let now = call.now
        let week = now.advanced(by: .seconds(-7 * 86_400))
        let after = try parameters.moment("after", offsetSeconds: offset) ?? week
        let before = try parameters.moment("before", offsetSeconds: offset) ?? now
        first = Self.seconds(after, offset)
        last = max(first, Self.seconds(before, offset))
        offsetSeconds = offset
        page = try PageChoice(parameters)
        isAscending = try parameters.choice("order", ["asc", "desc"], default: "desc") == "asc"
        fields = parameters.words("fields")
    }

    static func seconds(_ moment: Timestamp, _ offsetSeconds: Int) -> Int64 {
        let seconds = moment.milliseconds / 1000 - (moment.milliseconds % 1000 < 0 ? 1 : 0)
        return seconds.addingReportingOverflow(Int64(offsetSeconds)).partialValue
    }

    var firstIndex: Int64 { unit.index(of: first) }
    var lastIndex: Int64 { unit.index(of: last) }
    var count: Int { Int(clamping: lastIndex - firstIndex + 1) }

    /// The spans of the page that is asked for.
    var indices: [Int64] {
        let start = min(page.start, count)
        let end = min(count, start + page.size)
        return (start..<end).map { isAscending ? firstIndex + Int64($0) : lastIndex - Int64($0) }
    }
}
