internal import Determinism

/// Sums of a report: of the whole time, and of each part of it.
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

    /// `members`: of sums; the flag says whether they are those of the whole time.
    func reply(_ members: (Totals, Bool) -> [JSONNode.Member]) -> Reply {
        func node(_ totals: Totals, isTotal: Bool) -> JSONNode {
            let chosen = members(totals, isTotal).filter { member in
                span.fields.map { $0.contains(member.name) || $0.isEmpty } ?? true
            }
            return .object(chosen + [JSONNode.Member(name: "segments", value: [])])
        }
        func text(_ seconds: Int64, gmt: Bool) -> JSONNode {
            let shift = gmt ? Int64(span.offsetSeconds) : 0
            return .text(
                WallDate.spacedText(Timestamp(milliseconds: (seconds - shift) * 1000).civil(offsetSeconds: 0)))
        }
        let intervals = span.indices.map { index -> JSONNode in
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

/// Sums that a report adds orders to.
protocol ReportTotals: Sendable {
    init()
}
