internal import Networking

/// Rows for people, each column as wide as its widest cell. What came from outside is made harmless for a terminal.
enum TextTable {
    /// `right`: the columns of numbers, which end at the same place.
    static func text(_ rows: [[String]], right: Set<Int> = []) -> String {
        let cells = rows.map { row in row.map { Printable.text($0, limit: 100) } }
        var widths: [Int] = []
        for row in cells {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return cells.map { row in
            let shown = row.enumerated().map { column, cell in
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                return right.contains(column) ? blanks + cell : cell + blanks
            }
            let line = shown.joined(separator: "  ")
            return String(line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex)])
                + "\n"
        }.joined()
    }
}
