/// A QR code of a short text (ISO/IEC 18004): versions 1 to 6, error correction level M, byte mode.
public struct QRCode: Hashable, Sendable {
    /// Modules a side, without the quiet zone of four around it.
    public let side: Int
    /// Row by row; true is dark.
    public let modules: [Bool]

    /// nil when the text has more than 106 bytes.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = Version.all.first(where: { $0.dataLength - 2 >= bytes.count }) else { return nil }
        let codewords = version.interleaved(version.data(bytes))
        let candidates = (0..<8).map { Grid(version: version, codewords: codewords, mask: $0) }
        guard let best = candidates.min(by: { $0.penalty < $1.penalty }) else { return nil }
        (side, modules) = (best.side, best.modules)
    }

    /// Whether the module is dark.
    public subscript(row: Int, column: Int) -> Bool {
        (0..<side).contains(row) && (0..<side).contains(column) && modules[row * side + column]
    }

    /// A size of the code (tables 7 and 9). In these versions all blocks of a code are of one length.
    private struct Version {
        let number: Int
        let blockCount: Int
        let blockDataLength: Int
        let blockCheckLength: Int

        var side: Int { 4 * number + 17 }
        var dataLength: Int { blockCount * blockDataLength }

        static let all = [
            Version(number: 1, blockCount: 1, blockDataLength: 16, blockCheckLength: 10),
            Version(number: 2, blockCount: 1, blockDataLength: 28, blockCheckLength: 16),
            Version(number: 3, blockCount: 1, blockDataLength: 44, blockCheckLength: 26),
            Version(number: 4, blockCount: 2, blockDataLength: 32, blockCheckLength: 18),
            Version(number: 5, blockCount: 2, blockDataLength: 43, blockCheckLength: 24),
            Version(number: 6, blockCount: 4, blockDataLength: 27, blockCheckLength: 16),
        ]

        /// Mode 0100, the length in a byte, the bytes, the end 0000, and filling.
        func data(_ bytes: [UInt8]) -> [UInt8] {
            var nibbles: [UInt8] = [0x4, UInt8(bytes.count >> 4 & 0x0F), UInt8(bytes.count & 0x0F)]
            for byte in bytes { nibbles += [byte >> 4, byte & 0x0F] }
            nibbles.append(0)
            var data = stride(from: 0, to: nibbles.count - 1, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
            var filling: UInt8 = 0xEC
            while data.count < dataLength {
                data.append(filling)
                filling ^= 0xEC ^ 0x11
            }
            return data
        }

        /// The data of all blocks in turn, and their check codewords after it.
        func interleaved(_ data: [UInt8]) -> [UInt8] {
            let blocks = (0..<blockCount).map {
                Array(data[($0 * blockDataLength)..<(($0 + 1) * blockDataLength)])
            }
            let checks = blocks.map { ReedSolomon.check(of: $0, length: blockCheckLength) }
            return (0..<blockDataLength).flatMap { index in blocks.map { $0[index] } }
                + (0..<blockCheckLength).flatMap { index in checks.map { $0[index] } }
        }
    }

    /// The modules with one of the eight masks.
    private struct Grid {
        let side: Int
        private(set) var modules: [Bool]
        private var isFunction: [Bool]

        init(version: Version, codewords: [UInt8], mask: Int) {
            side = version.side
            modules = [Bool](repeating: false, count: side * side)
            isFunction = modules
            drawPatterns(version)
            drawFormat(mask)
            drawData(codewords, mask)
        }

        private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) {
            guard (0..<side).contains(column), (0..<side).contains(row) else { return }
            modules[row * side + column] = isDark
            isFunction[row * side + column] = true
        }

        /// Finders with their separators, the timing lines, and the one alignment pattern of these versions.
        private mutating func drawPatterns(_ version: Version) {
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
            guard version.number > 1 else { return }
            for y in -2...2 {
                for x in -2...2 { set(side - 7 + x, side - 7 + y, max(abs(x), abs(y)) != 1) }
            }
        }

        /// Level M is 00; BCH code (15, 5) (§7.9).
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

        /// Two columns at a time, from the right, upwards and downwards in turn; the timing column is left out.
        private mutating func drawData(_ codewords: [UInt8], _ mask: Int) {
            var index = 0
            var right = side - 1
            while right >= 1 {
                if right == 6 { right = 5 }
                let isUpward = (right + 1) & 2 == 0
                for step in 0..<side {
                    let row = isUpward ? side - 1 - step : step
                    for column in [right, right - 1] where !isFunction[row * side + column] {
                        let isDark =
                            index < codewords.count * 8 && codewords[index >> 3] >> (7 - index & 7) & 1 == 1
                        modules[row * side + column] = isDark != Self.isMasked(mask, row, column)
                        index += 1
                    }
                }
                right -= 2
            }
        }

        /// Table 10
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

        /// How hard the code is to read (§7.8.3): runs, squares, what looks like a finder, and too much of one colour.
        var penalty: Int {
            let rows = (0..<side).map { row in (0..<side).map { modules[row * side + $0] } }
            let columns = (0..<side).map { column in (0..<side).map { modules[$0 * side + column] } }
            var penalty = (rows + columns).reduce(0) { $0 + Self.penalty(ofLine: $1) }
            for row in 0..<(side - 1) {
                for column in 0..<(side - 1) {
                    let first = rows[row][column]
                    if first == rows[row][column + 1], first == rows[row + 1][column],
                        first == rows[row + 1][column + 1]
                    {
                        penalty += 3
                    }
                }
            }
            let dark = modules.count(where: { $0 })
            return penalty + abs(dark * 20 - modules.count * 10) / modules.count * 10
        }

        private static func penalty(ofLine line: [Bool]) -> Int {
            var (penalty, run) = (0, 1)
            for index in 1..<line.count {
                run = line[index] == line[index - 1] ? run + 1 : 1
                if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
            }
            let finder = [true, false, true, true, true, false, true]
            let light = [Bool](repeating: false, count: 4)
            for start in 0...(line.count - 11) {
                let part = line[start..<(start + 11)]
                if part.elementsEqual(finder + light) || part.elementsEqual(light + finder) { penalty += 40 }
            }
            return penalty
        }
    }
}
