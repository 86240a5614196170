import Networking
import Settings

extension String {
    /// Pads the text with spaces to at least `width` characters.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    /// Pads the text on the left to at least `width` characters.
    func padded(toLeft width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }

    /// The text without spaces at the end.
    var trimmedEnd: String { String(self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)]) }
}

extension String {
    /// Returns the fix for an unknown name: the nearest name and all available names.
    static func choice(of typed: String, among names: [String], called what: String) -> String {
        (NearestName.to(typed, among: names).map { "did you mean '\($0)'? " } ?? "")
            + "\(what): " + names.joined(separator: ", ")
    }
}

extension String {
    /// External text made safe for a terminal: on one line, without control characters.
    var harmless: String { Printable.text(self) }

    /// The text; nil when it is empty.
    var nonEmpty: String? { isEmpty ? nil : self }

    /// The lines of external text, each made safe for a terminal.
    var harmlessLines: [String] {
        split(omittingEmptySubsequences: false) { $0.isNewline }.map { Printable.text($0, limit: 1000) }
    }
}

extension String {
    /// The text as one word of a shell, in single quotes if it needs them.
    var shellWord: String {
        let isPlain = !isEmpty && utf8.allSatisfy(\.needsNoQuote)
        return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}

extension UInt8 {
    fileprivate var needsNoQuote: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "-_.:/@,%+=".utf8.contains(self)
        }
    }
}

/// A text table whose columns fit their widest cell. Makes all text safe for a terminal.
enum TextTable {
    /// Formats the rows.
    ///
    /// - Parameters:
    ///   - rows: The cells of each row.
    ///   - right: The right-aligned columns.
    ///   - limit: The longest text of a cell.
    ///   - colors: The colors of the cells of each row, where standard output gets color.
    ///   - width: The longest line. More is cut off.
    /// - Returns: A line for each row.
    static func text(
        _ rows: [[String]], right: Set<Int> = [], limit: Int = 100, colors: [[Int: WordColor]] = [],
        width: Int = .max
    ) -> String {
        let cells = rows.map { row in row.map { Printable.text($0, limit: limit) } }
        var widths: [Int] = []
        for row in cells {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return cells.enumerated().map { number, row in
            let colors = number < colors.count ? colors[number] : [:]
            // The blanks before the next cell, which a line does not end with.
            var (line, used, blanks) = ("", 0, 0)
            for (column, cell) in row.enumerated() {
                let padding = widths[column] - cell.count
                if right.contains(column) { blanks += padding }
                if !cell.isEmpty {
                    let shown = cell.prefix(max(0, width - used - blanks))
                    guard !shown.isEmpty else { break }
                    line += String(repeating: " ", count: blanks)
                    line += colors[column]?.onOutput(String(shown)) ?? String(shown)
                    (used, blanks) = (used + blanks + shown.count, 0)
                }
                blanks += (right.contains(column) ? 0 : padding) + 2
            }
            return line.trimmedEnd + "\n"
        }.joined()
    }

    /// Formats rows below their headings.
    static func text<Row: TableRow>(of rows: [Row], right: Set<Int> = [], width: Int = .max) -> String {
        text(
            [Row.heads.map { $0.uppercased() }] + rows.map(\.cells), right: right, colors: [[:]] + rows.map(\.colors),
            width: width)
    }
}
