/// Dots of a printer's head: rows from the top, eight dots a byte, the leftmost in the highest bit, one is black.
struct DotImage: Hashable, Sendable {
    let bytesPerRow: Int
    var rows: [UInt8]

    var height: Int { bytesPerRow == 0 ? 0 : rows.count / bytesPerRow }
}
