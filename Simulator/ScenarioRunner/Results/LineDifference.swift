/// What has to be taken out of one list of lines and put in to make another.
enum LineDifference {
    /// How many pairs of lines are compared at most. Beyond that, everything is taken out and put in.
    private static let mostPairs = 4_000_000

    /// Lines that are in both begin with two blanks, expected ones that are missing with `- `, others with `+ `. Long
    /// stretches without a difference are left out.
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

    /// By the longest common subsequence.
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
