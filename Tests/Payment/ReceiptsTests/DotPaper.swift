import Receipts

/// What stands on the paper of a printer that got some bytes, dot by dot. Letters are blocks: they show places, not
/// shapes.
struct DotPaper {
    private static let (cellWidth, letterHeight, lineHeight) = (12, 24, 30)

    let width: Int
    private(set) var rows: [[Bool]] = []

    init(_ printed: ESCPOSInterpreter, columns: Int) throws {
        width = columns * Self.cellWidth
        for part in printed.parts {
            switch part {
            case .line(let text, _, let isTall): append(text, isTall)
            case .dots(let bytesPerRow, let bytes):
                for start in stride(from: 0, to: bytes.count, by: bytesPerRow) {
                    append((0..<(bytesPerRow * 8)).map { bytes[start + $0 / 8] & 0x80 >> UInt8($0 % 8) != 0 })
                }
            case .code(let text, let dots, let isCentered): try append(QRCode(text), dots, isCentered)
            case .barcode(let text, let dots, let isCentered): try append(Code128(text), dots, isCentered)
            case .cut, .drawer: break
            }
        }
    }

    var picture: GrayPicture {
        GrayPicture(width: width, height: rows.count, pixels: rows.flatMap { $0.map { $0 ? 0 : 255 } })
    }

    /// White where the paper ends; false when something stands beyond it.
    private(set) var isWithinPaper = true

    private mutating func append(_ row: [Bool]) {
        if row.dropFirst(width).contains(true) { isWithinPaper = false }
        rows.append(Array(row.prefix(width)) + [Bool](repeating: false, count: max(0, width - row.count)))
    }

    private mutating func append(_ text: String, _ isTall: Bool) {
        if text.count * Self.cellWidth > width { isWithinPaper = false }
        let cells = text.flatMap { character in
            (0..<Self.cellWidth).map { $0 > 0 && $0 < Self.cellWidth - 1 && character != " " }
        }
        let height = isTall ? 2 * Self.letterHeight : Self.letterHeight
        for _ in 0..<height { append(cells) }
        for _ in Self.letterHeight..<Self.lineHeight { append([]) }
    }

    private mutating func append(_ code: QRCode, _ dots: Int, _ isCentered: Bool) {
        let left = isCentered ? (width - code.side * dots) / 2 : 0
        for _ in 0..<(4 * dots) { append([]) }
        for row in 0..<code.side {
            let modules = (0..<code.side).flatMap { [Bool](repeating: code[row, $0], count: dots) }
            for _ in 0..<dots { append([Bool](repeating: false, count: left) + modules) }
        }
        for _ in 0..<(4 * dots) { append([]) }
    }

    private mutating func append(_ code: Code128, _ dots: Int, _ isCentered: Bool) {
        let bars = code.widths.enumerated().flatMap { index, width in
            [Bool](repeating: index.isMultiple(of: 2), count: Int(width) * dots)
        }
        let left = isCentered ? (width - bars.count) / 2 : 0
        for row in 0..<100 { append(row < 10 || row >= 90 ? [] : [Bool](repeating: false, count: left) + bars) }
    }

    /// A picture of dark and light squares of twenty pixels, the dark ones a third gray.
    static func checkers(width: Int, height: Int) -> GrayPicture {
        GrayPicture(
            width: width, height: height,
            pixels: (0..<(width * height)).map { ($0 % width / 20 + $0 / width / 20).isMultiple(of: 2) ? 85 : 255 })
    }
}
