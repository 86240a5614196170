internal import Sessions

/// What all sessions so far have shown, which decides what the next ones try.
struct Coverage: Sendable {
    /// In how many sessions each state was.
    private(set) var counts: [CoverageFeature: Int] = [:]
    /// Where something can be made to happen, in an order that does not depend on chance.
    private(set) var points: [InjectionPoint]
    /// How often each place came by in one session, at most.
    private var most: [InjectionPoint: Int] = [:]

    init() { points = InjectionPoint.first.sorted() }

    /// Takes a session in.
    ///
    /// - Returns: how many states it showed that no session before it had shown.
    mutating func add(_ record: SessionRecord) -> Int {
        var new = 0
        for feature in CoverageFeature.all(in: record) {
            counts[feature, default: 0] += 1
            if counts[feature] == 1 { new += 1 }
        }
        var seen: [InjectionPoint: Int] = [:]
        for event in record.events { if let point = InjectionPoint(event) { seen[point, default: 0] += 1 } }
        let known = Set(points)
        points = (points + seen.keys.filter { !known.contains($0) }).sorted()
        for (point, count) in seen { most[point] = max(most[point] ?? 0, count) }
        return new
    }

    /// In how many sessions something was made to happen there.
    func count(_ act: String, at point: InjectionPoint) -> Int {
        counts[CoverageFeature(.faultAtPlace, "\(act) at \(point.words)")] ?? 0
    }

    func mostOften(_ point: InjectionPoint) -> Int { most[point] ?? (point.words == "apdu" ? 30 : 1) }

    /// How many states of each kind there were.
    var sizes: [CoverageGroup: Int] {
        var sizes: [CoverageGroup: Int] = [:]
        for feature in counts.keys { sizes[feature.group, default: 0] += 1 }
        return sizes
    }
}
