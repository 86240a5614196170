/// A picture in shades of gray, for comparing what was drawn with what should have been.
struct GrayPicture: Equatable {
    struct Unreadable: Error {}

    let width: Int
    let height: Int
    /// Row by row; 0 is black.
    var pixels: [UInt8]

    init(width: Int, height: Int, pixels: [UInt8]) { (self.width, self.height, self.pixels) = (width, height, pixels) }

    /// Reads what `pdftoppm -gray` writes (Netpbm, P5).
    init(pgm: [UInt8]) throws {
        let fields = pgm.prefix(64).split(maxSplits: 4, omittingEmptySubsequences: true) { $0 == 0x0A || $0 == 0x20 }
        guard fields.count >= 4, fields[0].elementsEqual("P5".utf8), let width = Self.number(fields[1]),
            let height = Self.number(fields[2]), Self.number(fields[3]) == 255, pgm.count > width * height
        else { throw Unreadable() }
        self.init(width: width, height: height, pixels: Array(pgm.suffix(width * height)))
    }

    private static func number(_ field: ArraySlice<UInt8>) -> Int? { Int(String(decoding: field, as: UTF8.self)) }

    /// The same as a file that `zbarimg` reads.
    var pgm: [UInt8] { Array("P5\n\(width) \(height)\n255\n".utf8) + pixels }

    /// 0 for white, 1 for black.
    func ink(_ row: Int, _ column: Int) -> Double { 1 - Double(pixels[row * width + column]) / 255 }

    /// Without the white around what is drawn.
    var cropped: GrayPicture {
        let rows = (0..<height).filter { row in (0..<width).contains { ink(row, $0) > 0.3 } }
        let columns = (0..<width).filter { column in (0..<height).contains { ink($0, column) > 0.3 } }
        guard let top = rows.first, let bottom = rows.last, let left = columns.first, let right = columns.last else {
            return GrayPicture(width: 0, height: 0, pixels: [])
        }
        return GrayPicture(
            width: right - left + 1, height: bottom - top + 1,
            pixels: (top...bottom).flatMap { pixels[($0 * width + left)...($0 * width + right)] })
    }

    /// The same so many pixels wide: each is the mean of what it covers.
    func scaled(width newWidth: Int) -> GrayPicture {
        guard width > 0, height > 0 else { return self }
        let newHeight = max(1, (height * newWidth + width / 2) / width)
        var scaled = [UInt8](repeating: 255, count: newWidth * newHeight)
        for row in 0..<newHeight {
            let rows = (row * height / newHeight)..<max(row * height / newHeight + 1, (row + 1) * height / newHeight)
            for column in 0..<newWidth {
                let columns =
                    (column * width / newWidth)..<max(column * width / newWidth + 1, (column + 1) * width / newWidth)
                var sum = 0
                for y in rows { for x in columns { sum += Int(pixels[y * width + x]) } }
                scaled[row * newWidth + column] = UInt8(sum / (rows.count * columns.count))
            }
        }
        return GrayPicture(width: newWidth, height: newHeight, pixels: scaled)
    }
}
