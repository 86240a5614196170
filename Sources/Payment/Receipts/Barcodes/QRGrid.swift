/// The modules of a QR code, before and after a mask.
struct QRGrid {
    private let version: QRVersion
    private let side: Int
    private(set) var modules: [Bool]
    /// The function modules, which no mask changes: patterns, format, and version.
    private var isFunction: [Bool]

    /// Draws everything except the format, which contains the mask number.
    init(version: QRVersion, codewords: [UInt8]) {
        (self.version, side) = (version, version.side)
        modules = [Bool](repeating: false, count: side * side)
        isFunction = modules
        drawPatterns()
        drawVersion()
        // Reserves the modules of the format.
        drawFormat(0)
        drawData(codewords)
    }

    /// Returns the grid with one of the eight masks (table 10) and its format.
    func masked(_ mask: Int) -> QRGrid {
        var grid = self
        for row in 0..<side {
            for column in 0..<side where !isFunction[row * side + column] && Self.isMasked(mask, row, column) {
                grid.modules[row * side + column].toggle()
            }
        }
        grid.drawFormat(mask)
        return grid
    }

    private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) {
        guard (0..<side).contains(column), (0..<side).contains(row) else { return }
        modules[row * side + column] = isDark
        isFunction[row * side + column] = true
    }

    /// Draws the timing patterns, the finders with their separators, and the alignment patterns that do not overlap a
    /// finder.
    private mutating func drawPatterns() {
        for index in 0..<side {
            set(6, index, index.isMultiple(of: 2))
            set(index, 6, index.isMultiple(of: 2))
        }
        for (column, row) in [(3, 3), (side - 4, 3), (3, side - 4)] {
            for y in -4...4 {
                for x in -4...4 {
                    let distance = max(abs(x), abs(y))
                    set(column + x, row + y, distance != 2 && distance != 4)
                }
            }
        }
        let centers = version.alignmentCenters
        let corners = [[6, 6], [6, side - 7], [side - 7, 6]]
        for row in centers {
            for column in centers where !corners.contains([row, column]) {
                for y in -2...2 { for x in -2...2 { set(column + x, row + y, max(abs(x), abs(y)) != 1) } }
            }
        }
    }

    /// Draws the version number, for version 7 and up, with a BCH code (18, 6), twice (§7.10).
    private mutating func drawVersion() {
        guard version.number >= 7 else { return }
        var remainder = version.number
        for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11) * 0x1F25 }
        let bits = version.number << 12 | remainder
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            set(side - 11 + index % 3, index / 3, isDark)
            set(index / 3, side - 11 + index % 3, isDark)
        }
    }

    /// Draws the format: level M (00), mask, and a BCH code (15, 5) (§7.9).
    private mutating func drawFormat(_ mask: Int) {
        var remainder = mask
        for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9) * 0x537 }
        let bits = (mask << 10 | remainder) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { set(8, index, bit(index)) }
        set(8, 7, bit(6))
        set(8, 8, bit(7))
        set(7, 8, bit(8))
        for index in 9..<15 { set(14 - index, 8, bit(index)) }
        for index in 0..<8 { set(side - 1 - index, 8, bit(index)) }
        for index in 8..<15 { set(8, side - 15 + index, bit(index)) }
        set(8, side - 8, true)
    }

    /// Draws the data two columns at a time, from the right, alternating upward and downward; skips the timing column.
    private mutating func drawData(_ codewords: [UInt8]) {
        var index = 0
        var right = side - 1
        while right >= 1 {
            if right == 6 { right = 5 }
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<side {
                let row = isUpward ? side - 1 - step : step
                for column in [right, right - 1] where !isFunction[row * side + column] {
                    modules[row * side + column] =
                        index < codewords.count * 8 && codewords[index >> 3] >> (7 - index & 7) & 1 == 1
                    index += 1
                }
            }
            right -= 2
        }
    }

    private static func isMasked(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
        switch mask {
        case 0: (row + column).isMultiple(of: 2)
        case 1: row.isMultiple(of: 2)
        case 2: column.isMultiple(of: 3)
        case 3: (row + column).isMultiple(of: 3)
        case 4: (row / 2 + column / 3).isMultiple(of: 2)
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3).isMultiple(of: 2)
        default: ((row + column) % 2 + row * column % 3).isMultiple(of: 2)
        }
    }

    /// The penalty of the mask (§7.8.3): runs, blocks, patterns like a finder, and an imbalance of dark and light.
    var penalty: Int {
        var penalty = 0
        for index in 0..<side {
            penalty += linePenalty(from: index * side, step: 1) + linePenalty(from: index, step: side)
        }
        for row in 0..<(side - 1) {
            for place in (row * side)..<(row * side + side - 1) {
                let first = modules[place]
                if first == modules[place + 1], first == modules[place + side], first == modules[place + side + 1] {
                    penalty += 3
                }
            }
        }
        let dark = modules.count(where: { $0 })
        return penalty + abs(dark * 20 - modules.count * 10) / modules.count * 10
    }

    private func linePenalty(from start: Int, step: Int) -> Int {
        // A finder pattern with four light modules before or after it.
        let (finderFirst, finderLast) = (0b101_1101_0000, 0b000_0101_1101)
        var (penalty, run, window, previous) = (0, 0, 0, false)
        for index in 0..<side {
            let isDark = modules[start + index * step]
            run = index > 0 && isDark == previous ? run + 1 : 1
            previous = isDark
            if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
            window = (window << 1 | (isDark ? 1 : 0)) & 0x7FF
            if index >= 10, window == finderFirst || window == finderLast { penalty += 40 }
        }
        return penalty
    }
}
