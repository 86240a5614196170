import Foundation

/// Pictures of receipts as they should look, small and gray, without the white around them.
///
/// `RECEIPT_GOLDENS=renew swift test --filter GoldenTests` makes them anew; look at them before you commit them.
struct Golden {
    /// How far a picture may be from its golden one.
    enum Difference: Equatable {
        case none
        case missing
        case size(width: Int, height: Int, expected: Int)
        /// Lines stand elsewhere, or other words in them: how much of the ink.
        case rows(Double)
        /// Columns stand elsewhere: how much of the ink.
        case columns(Double)
        /// Somewhere there is something else: where, and how much.
        case place(x: Int, y: Int, Double)
    }

    static let isRenewing = ProcessInfo.processInfo.environment["RECEIPT_GOLDENS"] == "renew"
    private static let width = 120
    /// Pixels a side of the squares that are compared: about a letter.
    private static let square = 6

    let name: String

    private var file: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Goldens/\(name).png")
    }

    /// The first page of a PDF file, prepared for comparison.
    static func picture(pdf: [UInt8]) throws -> GrayPicture {
        let pgm = try Tool.run("pdftoppm", "-r", "150", "-gray", "-singlefile", on: pdf)
        return try GrayPicture(pgm: Array(pgm)).cropped.scaled(width: width)
    }

    func write(_ picture: GrayPicture) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(picture.png).write(to: file)
    }

    /// What is different beyond smoothed edges. Fonts of other releases draw letters a little differently; a line, a
    /// word or an amount that stands elsewhere is seen.
    func difference(from picture: GrayPicture) throws -> Difference {
        guard let data = try? Data(contentsOf: file) else { return .missing }
        let golden = try GrayPicture(png: Array(data))
        guard golden.width == picture.width, abs(golden.height - picture.height) * 100 <= golden.height else {
            return .size(width: picture.width, height: picture.height, expected: golden.height)
        }
        let height = min(golden.height, picture.height)
        let rows = Self.distance(
            (0..<height).map { row in (0..<Self.width).reduce(0) { $0 + golden.ink(row, $1) } },
            (0..<height).map { row in (0..<Self.width).reduce(0) { $0 + picture.ink(row, $1) } })
        guard rows < 0.03 else { return .rows(rows) }
        let columns = Self.distance(
            (0..<Self.width).map { column in (0..<height).reduce(0) { $0 + golden.ink($1, column) } },
            (0..<Self.width).map { column in (0..<height).reduce(0) { $0 + picture.ink($1, column) } })
        guard columns < 0.03 else { return .columns(columns) }
        for y in stride(from: 0, through: height - Self.square, by: Self.square) {
            for x in stride(from: 0, through: Self.width - Self.square, by: Self.square) {
                let difference = abs(Self.mean(golden, x, y) - Self.mean(picture, x, y))
                guard difference < 0.09 else { return .place(x: x, y: y, difference) }
            }
        }
        return .none
    }

    /// How much of the ink is not where it should be, when a pixel more or less does not count.
    private static func distance(_ first: [Double], _ second: [Double]) -> Double {
        func smooth(_ values: [Double]) -> [Double] {
            values.indices.map { index in
                let near = values[max(0, index - 1)...min(values.count - 1, index + 1)]
                return near.reduce(0, +) / Double(near.count)
            }
        }
        let difference = zip(smooth(first), smooth(second)).reduce(0) { $0 + abs($1.0 - $1.1) }
        return difference / max(1, first.reduce(0, +))
    }

    private static func mean(_ picture: GrayPicture, _ x: Int, _ y: Int) -> Double {
        var sum = 0.0
        for row in y..<(y + square) { for column in x..<(x + square) { sum += picture.ink(row, column) } }
        return sum / Double(square * square)
    }
}
