/// Dots of a printer's head: rows from the top, eight dots a byte, the leftmost in the highest bit, one is black.
struct DotImage: Hashable, Sendable {
    let bytesPerRow: Int
    var rows: [UInt8]

    var height: Int { bytesPerRow == 0 ? 0 : rows.count / bytesPerRow }

    /// Whether a dot is black. Beside the image it is not.
    func isBlack(row: Int, column: Int) -> Bool {
        let index = row * bytesPerRow + column / 8
        guard row >= 0, (0..<bytesPerRow * 8).contains(column), rows.indices.contains(index) else { return false }
        return rows[index] >> UInt8(7 - column % 8) & 1 == 1
    }
}
