/// A Code 128 barcode of a short text (ISO/IEC 15417) in the code sets B and C.
public struct Code128: Hashable, Sendable {
    /// The values of the symbol characters, from the start character to the check character, without the stop
    /// character.
    public let values: [UInt8]
    /// The widths of bars and spaces in turn, in modules, starting and ending with a bar.
    public let widths: [UInt8]

    /// Dots per module on a receipt printer: 0.375 mm.
    private static let preferredDots = 3
    /// The minimum for scanners.
    private static let leastDots = 2
    /// The width of the quiet zone on each side, in modules.
    static let quietZone = 10

    /// - Throws: ``ReceiptError/noBarcode`` when the text is empty or contains other characters than printable ASCII.
    public init(_ text: String) throws(ReceiptError) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .noBarcode }
        var values = Self.characters(bytes)
        // The check sum: the start character has weight 1, every other character the weight of its position.
        let sum = values.enumerated().reduce(0) { $0 + max(1, $1.offset) * Int($1.element) }
        values.append(UInt8(sum % 103))
        self.values = values
        widths = values.flatMap { Self.patterns[Int($0)] } + Self.stop
    }

    /// The width without the quiet zones, in modules.
    public var moduleCount: Int { widths.reduce(0) { $0 + Int($1) } }

    /// Returns the module width for a text in code set B only, which is the widest encoding.
    ///
    /// - Parameters:
    ///   - text: The text of the barcode.
    ///   - width: The paper width, in dots.
    /// - Returns: The dots per module.
    /// - Throws: ``ReceiptError/codeTooLong(bytes:limit:)`` when the code would be too narrow to scan,
    ///   ``ReceiptError/noBarcode``
    static func dotsPerModule(in text: String, width: Int) throws(ReceiptError) -> Int {
        _ = try Code128(text)
        // Start, check, and stop character take 35 modules, every other character 11.
        let others = 35 + 2 * quietZone
        let dots = min(preferredDots, width / (others + 11 * text.utf8.count))
        guard dots >= leastDots else {
            throw .codeTooLong(bytes: text.utf8.count, limit: max(0, (width / leastDots - others) / 11))
        }
        return dots
    }

    /// The bars, each with its position and width in modules.
    var bars: [(start: Int, width: Int)] {
        var (bars, start) = ([(start: Int, width: Int)](), 0)
        for (index, width) in widths.enumerated() {
            if index.isMultiple(of: 2) { bars.append((start, Int(width))) }
            start += Int(width)
        }
        return bars
    }

    private static let (startB, startC, toB, toC): (UInt8, UInt8, UInt8, UInt8) = (104, 105, 100, 99)

    /// Encodes the text, using code set C for pairs of digits where that is shorter (annex E of the standard).
    private static func characters(_ bytes: [UInt8]) -> [UInt8] {
        var (values, index) = ([UInt8](), 0)
        var isInPairs = digits(bytes, from: 0) >= 4
        values.append(isInPairs ? startC : startB)
        while index < bytes.count {
            let run = digits(bytes, from: index)
            if isInPairs {
                if run >= 2 {
                    values.append((bytes[index] - 0x30) * 10 + bytes[index + 1] - 0x30)
                    index += 2
                } else {
                    values.append(toB)
                    isInPairs = false
                }
            } else if run.isMultiple(of: 2), run >= (index + run == bytes.count ? 4 : 6) {
                values.append(toC)
                isInPairs = true
            } else {
                values.append(bytes[index] - 0x20)
                index += 1
            }
        }
        return values
    }

    /// Returns the number of consecutive digits.
    private static func digits(_ bytes: [UInt8], from index: Int) -> Int {
        bytes[index...].prefix { (0x30...0x39).contains($0) }.count
    }

    // Table 1 of the standard: bar, space, bar, space, bar, space.
    private static let patterns: [[UInt8]] = """
        212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222
        123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321
        232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121
        313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224
        111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111
        111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113
        114311 411113 411311 113141 114131 311141 411131 211412 211214 211232
        """.split { $0 == " " || $0 == "\n" }.map { $0.utf8.map { $0 - 0x30 } }

    private static let stop: [UInt8] = [2, 3, 3, 1, 1, 1, 2]
}
