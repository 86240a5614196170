/// A QR code (ISO/IEC 18004): versions 1 to 40, error correction level M, byte mode.
public struct QRCode: Hashable, Sendable {
    /// Dots of a receipt printer's head that a module takes: 0.75 mm.
    private static let preferredDots = 6
    /// What scanners still read of such a printer.
    private static let leastDots = 3
    /// Modules of the quiet zone at both sides together.
    private static let quiet = 8

    /// Modules a side, without the quiet zone of four around it.
    public let side: Int
    /// Row by row; true is dark.
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

    /// Dark modules beside each other, row by row.
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

    /// How large a module is printed.
    ///
    /// - Parameter width: of the paper, in dots.
    /// - Returns: dots.
    /// - Throws: ``ReceiptError/codeTooLong(bytes:limit:)`` when nobody could scan it.
    func dotsPerModule(width: Int) throws(ReceiptError) -> Int {
        try Self.dotsPerModule(bytes: byteCount, width: width)
    }

    /// The same of a text whose code a printer makes itself.
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
