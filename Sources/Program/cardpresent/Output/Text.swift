internal import Networking
internal import Settings

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
    /// - Returns: A line for each row.
    static func text(_ rows: [[String]], right: Set<Int> = [], limit: Int = 100) -> String {
        let cells = rows.map { row in row.map { Printable.text($0, limit: limit) } }
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
            return shown.joined(separator: "  ").trimmedEnd + "\n"
        }.joined()
    }
}
