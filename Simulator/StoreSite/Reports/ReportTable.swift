import Determinism
import Text

/// The totals of a report, for the whole time span and each interval.
struct ReportTable<Totals: ReportTotals>: Sendable {
    private let span: ReportSpan
    private var whole = Totals()
    private var parts: [Int64: Totals] = [:]

    init(_ span: ReportSpan) { self.span = span }

    mutating func add(at moment: Timestamp, _ change: (inout Totals) -> Void) {
        let seconds = ReportSpan.seconds(moment, span.offsetSeconds)
        guard seconds >= span.first, seconds <= span.last else { return }
        change(&whole)
        change(&parts[span.unit.index(of: seconds), default: Totals()])
    }

    func reply() -> Reply {
        func node(_ totals: Totals, isTotal: Bool) -> JSONValue {
            let chosen = totals.members(isTotal: isTotal).filter { member in
                span.fields.map { $0.contains(member.name) || $0.isEmpty } ?? true
            }
            return .object(chosen + [JSONValue.Member(name: "segments", value: [])])
        }
        func text(_ seconds: Int64, gmt: Bool) -> JSONValue {
            let shift = gmt ? Int64(span.offsetSeconds) : 0
            return .text(
                WordPressDate.spacedText(Timestamp(milliseconds: (seconds - shift) * 1000).civil(offsetSeconds: 0)))
        }
        let intervals = span.indices.map { index -> JSONValue in
            let start = max(span.first, span.unit.start(index))
            let end = min(span.last, span.unit.start(index + 1) - 1)
            return [
                "interval": .text(span.unit.name(index)), "date_start": text(start, gmt: false),
                "date_start_gmt": text(start, gmt: true), "date_end": text(end, gmt: false),
                "date_end_gmt": text(end, gmt: true), "subtotals": node(parts[index] ?? Totals(), isTotal: false),
            ]
        }
        var reply = Reply(["totals": node(whole, isTotal: true), "intervals": .list(intervals)])
        reply.paging = span.page.paging(span.count)
        return reply
    }
}

/// Totals that accumulate orders.
protocol ReportTotals: Sendable {
    init()

    mutating func add(_ order: StoredOrder)

    /// Adds a refund, on the day when it was given.
    mutating func add(_ refund: OrderRefund)

    /// Returns the JSON members; `isTotal` is true for the totals of the whole time span.
    func members(isTotal: Bool) -> [JSONValue.Member]
}

extension ReportTotals {
    mutating func add(_ refund: OrderRefund) {}
}

/// The time span of a report and its intervals.
struct ReportSpan: Sendable {
    let unit: CalendarUnit
    /// Seconds of the site's local time since 1970-01-01T00:00:00.
    let first: Int64
    let last: Int64
    let offsetSeconds: Int
    let page: PageChoice
    let isAscending: Bool
    let fields: [String]?

    init(_ call: Call, _ store: SiteStore) throws(SiteError) {
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

    /// The intervals on the requested page.
    var indices: [Int64] {
        let start = min(page.start, count)
        let end = min(count, start + page.size)
        return (start..<end).map { isAscending ? firstIndex + Int64($0) : lastIndex - Int64($0) }
    }
}
