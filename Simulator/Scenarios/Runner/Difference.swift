import ScenarioFormat

/// The expected and the actual lines.
struct Difference: Hashable, Sendable {
    var expected: [String]
    var seen: [String]

    init(expected: [String], seen: [String]) { (self.expected, self.seen) = (expected, seen) }

    /// The most candidate lines to show in place of a missing one.
    private static let mostCandidates = 12

    /// Returns nil when both are equal.
    static func between(_ expected: [String], _ seen: [String]) -> Difference? {
        expected == seen ? nil : Difference(expected: expected, seen: seen)
    }

    static func between(_ expected: String, _ seen: String?) -> Difference? {
        between([expected], seen.map { [$0] } ?? [])
    }

    /// Returns nil when the patterns match lines in this order. Otherwise both sides have the matched lines; for the
    /// first missing one, the actual side has the candidates.
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

    /// Returns nil when no pattern matches a line.
    static func none(
        of patterns: [TextPattern], in lines: [String], fits: (TextPattern, String) -> Bool = { $0.matches($1) }
    ) -> Difference? {
        let found = lines.filter { line in patterns.contains { fits($0, line) } }
        guard !found.isEmpty else { return nil }
        return Difference(expected: patterns.map { "no \($0.text)" }, seen: Array(found.prefix(mostCandidates)))
    }

    /// Returns nil when the named bits are set and clear as expected.
    static func bits(_ expected: BitExpectation, in names: [String]?) -> Difference? {
        guard let names else {
            return Difference(expected: expected.set + expected.clear.map { "not \($0)" }, seen: ["no such data"])
        }
        let missing = expected.set.filter { !names.contains($0) }
        let surplus = expected.clear.filter { names.contains($0) }
        guard !missing.isEmpty || !surplus.isEmpty else { return nil }
        return Difference(expected: missing + surplus.map { "not \($0)" }, seen: names)
    }

    /// Returns nil when the time is within the bounds.
    static func time(_ bounds: TimeBounds, _ time: Duration) -> Difference? {
        let isLong = bounds.atMost.map { time > $0 } ?? false
        let isShort = bounds.atLeast.map { time < $0 } ?? false
        guard isLong || isShort else { return nil }
        var words: [String] = []
        if let least = bounds.atLeast { words.append("at least \(Words.time(least))") }
        if let most = bounds.atMost { words.append("at most \(Words.time(most))") }
        return Difference(expected: [words.joined(separator: ", ")], seen: [Words.time(time)])
    }

    /// Returns nil when the number of lines and all expected values match.
    static func ledger(_ expected: [LedgerLine], _ seen: [LedgerLine]) -> Difference? {
        let fits = expected.count == seen.count && zip(expected, seen).allSatisfy { $0.fits($1) }
        guard !fits else { return nil }
        // Hide values without an expectation: they would look like differences.
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
        let amount = minorUnits.map { units in
            currency.map { Words.amount(units, $0) } ?? "\(units) minor units"
        }
        let parts = [
            kind, amount, response.map { "response \($0)" }, reason.map { "because \($0)" }, rule.map { "by '\($0)'" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}

/// The first line in which two texts differ, in words.
struct FirstDifference {
    let expected: [String]
    let seen: [String]
    /// Whether each line has its counterpart at the same place. If not, all lines are shown, up to a limit.
    let isOrdered: Bool

    /// The most lines of one side to tell when they have no counterparts.
    private static let mostNames = 6

    var sentence: String {
        guard isOrdered, max(expected.count, seen.count) > 1 else {
            return "expected \(Self.all(expected)), seen \(Self.all(seen))"
        }
        let place = zip(expected, seen).prefix { $0 == $1 }.count
        let before = place == 0 ? "" : ", after '\(expected[place - 1])'"
        return "line \(place + 1)\(before): expected \(Self.line(place, of: expected)), "
            + "seen \(Self.line(place, of: seen))"
    }

    private static func line(_ index: Int, of lines: [String]) -> String {
        if lines.indices.contains(index) { return "'\(lines[index])'" }
        return index == 0 ? "nothing" : "nothing more"
    }

    private static func all(_ lines: [String]) -> String {
        guard !lines.isEmpty else { return "nothing" }
        let told = lines.prefix(mostNames).map { "'\($0)'" }.joined(separator: ", ")
        return lines.count > mostNames ? "\(told) and \(lines.count - mostNames) more" : told
    }
}

/// A line-by-line difference of two texts.
enum LineDifference {
    /// The most pairs of lines to compare. Beyond that, all lines count as different.
    private static let mostPairs = 4_000_000

    /// Returns common lines with a prefix of two spaces, missing ones with `- `, and unexpected ones with `+ `. Leaves
    /// out long runs of common lines.
    static func lines(expected: [String], seen: [String], context: Int = 3) -> [String] {
        var marked: [(mark: Character, line: String)] = []
        let start = zip(expected, seen).prefix { $0 == $1 }.count
        let rest = min(expected.count, seen.count) - start
        let end = zip(expected.reversed(), seen.reversed()).prefix { $0 == $1 }.count
        let tail = min(end, rest)
        marked += expected[..<start].map { (" ", $0) }
        marked += middle(Array(expected[start..<(expected.count - tail)]), Array(seen[start..<(seen.count - tail)]))
        marked += expected[(expected.count - tail)...].map { (" ", $0) }
        return shortened(marked, context: context)
    }

    /// Compares by the longest common subsequence.
    private static func middle(_ old: [String], _ new: [String]) -> [(mark: Character, line: String)] {
        let (pairs, isTooMany) = old.count.multipliedReportingOverflow(by: new.count)
        guard !isTooMany, pairs <= mostPairs else { return old.map { ("-", $0) } + new.map { ("+", $0) } }
        let columns = new.count + 1
        var lengths = [Int32](repeating: 0, count: (old.count + 1) * columns)
        for row in old.indices.reversed() {
            for column in new.indices.reversed() {
                lengths[row * columns + column] =
                    old[row] == new[column]
                    ? lengths[(row + 1) * columns + column + 1] + 1
                    : max(lengths[(row + 1) * columns + column], lengths[row * columns + column + 1])
            }
        }
        var marked: [(mark: Character, line: String)] = []
        var (row, column) = (0, 0)
        while row < old.count || column < new.count {
            if row < old.count, column < new.count, old[row] == new[column] {
                marked.append((" ", old[row]))
                (row, column) = (row + 1, column + 1)
            } else if column == new.count
                || row < old.count && lengths[(row + 1) * columns + column] >= lengths[row * columns + column + 1]
            {
                marked.append(("-", old[row]))
                row += 1
            } else {
                marked.append(("+", new[column]))
                column += 1
            }
        }
        return marked
    }

    private static func shortened(_ marked: [(mark: Character, line: String)], context: Int) -> [String] {
        var isNear = [Bool](repeating: false, count: marked.count)
        for (index, entry) in marked.enumerated() where entry.mark != " " {
            for near in max(0, index - context)...min(marked.count - 1, index + context) { isNear[near] = true }
        }
        var lines: [String] = []
        var left = 0
        for (index, entry) in marked.enumerated() {
            guard isNear[index] else {
                left += 1
                continue
            }
            if left > 0 { lines.append("  … \(left) more") }
            left = 0
            lines.append("\(entry.mark) \(entry.line)")
        }
        if left > 0, !lines.isEmpty { lines.append("  … \(left) more") }
        return lines
    }
}
