/// Black and white squares as letters, of which each holds two (Unicode chart U2580, block elements).
enum HalfBlocks {
    /// Squares of rows above each other: a letter is one wide and two high.
    static func lines(columns: Int, rows: Int, isDark: (_ row: Int, _ column: Int) -> Bool) -> [String] {
        stride(from: 0, to: rows, by: 2).map { row in
            var line = ""
            for column in 0..<columns {
                switch (isDark(row, column), row + 1 < rows && isDark(row + 1, column)) {
                case (true, true): line += "█"
                case (true, false): line += "▀"
                case (false, true): line += "▄"
                case (false, false): line += " "
                }
            }
            return line
        }
    }

    /// Bars beside each other: a letter is two of their modules wide.
    static func line(modules: [Bool]) -> String {
        var line = ""
        for index in stride(from: 0, to: modules.count, by: 2) {
            switch (modules[index], index + 1 < modules.count && modules[index + 1]) {
            case (true, true): line += "█"
            case (true, false): line += "▌"
            case (false, true): line += "▐"
            case (false, false): line += " "
            }
        }
        return line
    }
}
