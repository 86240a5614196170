/// A QR code (ISO/IEC 18004): versions 1 to 40, error correction level M, byte mode.
public struct QRCode: Hashable, Sendable {
    /// Dots per module on a receipt printer: 0.75 mm.
    private static let preferredDots = 6
    /// The minimum for scanners.
    private static let leastDots = 3
    /// The width of the quiet zones of both sides together, in modules.
    private static let quiet = 8

    /// Modules per side, without the quiet zone of four modules.
    public let side: Int
    /// The modules row by row; true is dark.
    public let modules: [Bool]
    private let byteCount: Int

    /// - Throws: ``ReceiptError/codeTooLong(bytes:limit:)`` when the text has more than 2,331 bytes.
    public init(_ text: String) throws(ReceiptError) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.holding(bytes.count) else {
            throw .codeTooLong(bytes: bytes.count, limit: QRVersion.all.last?.capacity ?? 0)
        }
        let grid = QRGrid(version: version, codewords: version.codewords(bytes))
        let candidates = (0..<8).map { grid.masked($0) }
        (side, modules, byteCount) = (
            version.side, candidates.min { $0.penalty < $1.penalty }?.modules ?? [], bytes.count
        )
    }

    /// Whether the module is dark.
    public subscript(row: Int, column: Int) -> Bool {
        (0..<side).contains(row) && (0..<side).contains(column) && modules[row * side + column]
    }

    /// The runs of dark modules, row by row.
    var runs: [(row: Int, columns: Range<Int>)] {
        var runs: [(row: Int, columns: Range<Int>)] = []
        for row in 0..<side {
            var column = 0
            while column < side {
                let start = column
                while column < side, modules[row * side + column] { column += 1 }
                if column > start { runs.append((row, start..<column)) }
                column += 1
            }
        }
        return runs
    }

    /// Returns the module size for a paper width.
    ///
    /// - Parameter width: The paper width, in dots.
    /// - Returns: The dots per module.
    /// - Throws: ``ReceiptError/codeTooLong(bytes:limit:)`` when the modules would be too small to scan.
    func dotsPerModule(width: Int) throws(ReceiptError) -> Int {
        try Self.dotsPerModule(bytes: byteCount, width: width)
    }

    /// Returns the module size for a text that the printer encodes itself.
    ///
    /// - Throws: ``ReceiptError/codeTooLong(bytes:limit:)``
    static func dotsPerModule(bytes: Int, width: Int) throws(ReceiptError) -> Int {
        if let version = QRVersion.holding(bytes), width / (version.side + quiet) >= leastDots {
            return min(preferredDots, width / (version.side + quiet))
        }
        throw .codeTooLong(
            bytes: bytes, limit: QRVersion.fitting(side: width / leastDots - quiet)?.capacity ?? 0)
    }
}

/// Check codewords over GF(256) with the polynomial 11D (ISO/IEC 18004 §7.5.2).
struct ReedSolomon {
    /// The product of x − 2^i for every i below the degree, without its leading coefficient.
    private let generator: [UInt8]

    /// `checkLength`: the number of check codewords per block.
    init(checkLength: Int) {
        var coefficients = [UInt8](repeating: 0, count: checkLength - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<checkLength {
            for index in coefficients.indices {
                coefficients[index] = Self.product(coefficients[index], root)
                if index + 1 < coefficients.count { coefficients[index] ^= coefficients[index + 1] }
            }
            root = Self.product(root, 2)
        }
        generator = coefficients
    }

    func check(of data: ArraySlice<UInt8>) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for (index, coefficient) in generator.enumerated() { remainder[index] ^= Self.product(coefficient, factor) }
        }
        return remainder
    }

    private static func product(_ first: UInt8, _ second: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7) &* 0x1D
            if second >> bit & 1 == 1 { product ^= first }
        }
        return product
    }
}
