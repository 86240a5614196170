internal import ScenarioFormat

/// What was expected and what was seen instead.
struct Difference: Hashable, Sendable {
    var expected: [String]
    var seen: [String]

    init(expected: [String], seen: [String]) { (self.expected, self.seen) = (expected, seen) }

    /// How many lines are told of what was seen in place of one that is missing.
    private static let mostCandidates = 12

    /// Nil when both are the same.
    static func between(_ expected: [String], _ seen: [String]) -> Difference? {
        expected == seen ? nil : Difference(expected: expected, seen: seen)
    }

    static func between(_ expected: String, _ seen: String?) -> Difference? {
        between([expected], seen.map { [$0] } ?? [])
    }

    /// Nil when every pattern fits a line, each behind the one of the pattern before it. Else what was found of them stands
    /// on both sides, and in place of the first one that is missing the lines that could have been it.
    static func ordered(
        _ patterns: [TextPattern], in lines: [String], fits: (TextPattern, String) -> Bool = { $0.matches($1) }
    ) -> Difference? {
        var rest = lines[...]
        for (index, pattern) in patterns.enumerated() {
            if let found = rest.firstIndex(where: { fits(pattern, $0) }) {
                rest = rest[(found + 1)...]
                continue
            }
            let found = patterns[..<index].map(\.text)
            var candidates = Array(rest.prefix(mostCandidates))
            if rest.count > mostCandidates { candidates.append("… \(rest.count - mostCandidates) more") }
            return Difference(expected: patterns.map(\.text), seen: found + candidates)
        }
        return nil
    }

    /// Nil when no pattern fits any line.
    static func none(
        of patterns: [TextPattern], in lines: [String], fits: (TextPattern, String) -> Bool = { $0.matches($1) }
    ) -> Difference? {
        let found = lines.filter { line in patterns.contains { fits($0, line) } }
        guard !found.isEmpty else { return nil }
        return Difference(expected: patterns.map { "no \($0.text)" }, seen: Array(found.prefix(mostCandidates)))
    }

    /// Nil when the named bits are set, and the others are not.
    static func bits(_ expected: BitExpectation, in names: [String]?) -> Difference? {
        guard let names else {
            return Difference(expected: expected.set + expected.clear.map { "not \($0)" }, seen: ["no such data"])
        }
        let missing = expected.set.filter { !names.contains($0) }
        let surplus = expected.clear.filter { names.contains($0) }
        guard !missing.isEmpty || !surplus.isEmpty else { return nil }
        return Difference(expected: missing + surplus.map { "not \($0)" }, seen: names)
    }

    /// Nil when the time lies within the bounds.
    static func time(_ bounds: TimeBounds, _ time: Duration) -> Difference? {
        let isLong = bounds.atMost.map { time > $0 } ?? false
        let isShort = bounds.atLeast.map { time < $0 } ?? false
        guard isLong || isShort else { return nil }
        var words: [String] = []
        if let least = bounds.atLeast { words.append("at least \(Words.time(least))") }
        if let most = bounds.atMost { words.append("at most \(Words.time(most))") }
        return Difference(expected: [words.joined(separator: ", ")], seen: [Words.time(time)])
    }

    /// Nil when there are as many lines as expected and each says what is expected of it.
    static func ledger(_ expected: [LedgerLine], _ seen: [LedgerLine]) -> Difference? {
        let fits = expected.count == seen.count && zip(expected, seen).allSatisfy { $0.fits($1) }
        guard !fits else { return nil }
        // What was not asked for would only look like a difference.
        let shown = seen.enumerated().map { index, line in
            index < expected.count && expected[index].fits(line) ? expected[index].words : line.words
        }
        return Difference(expected: expected.map(\.words), seen: shown)
    }
}

extension LedgerLine {
    fileprivate func fits(_ line: LedgerLine) -> Bool {
        (kind == nil || kind == line.kind) && (minorUnits == nil || minorUnits == line.minorUnits)
            && (currency == nil || currency == line.currency) && (response == nil || response == line.response)
            && (reason == nil || reason == line.reason) && (rule == nil || rule == line.rule)
    }

    fileprivate var words: String {
        let amount = minorUnits.map { "\($0) minor units" + (currency.map { " of \($0)" } ?? "") }
        let parts = [
            kind, amount, response.map { "response \($0)" }, reason.map { "because \($0)" }, rule.map { "by '\($0)'" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}
