/// Text as lines of ASCII that people can still read in part (RFC 2045 §6.7).
enum QuotedPrintable {
    private static let lineLength = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// The lines end with CR and LF, whatever the text's end with.
    static func lines(_ text: String) -> [UInt8] {
        var encoded: [UInt8] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            encoded += self.line(Array(line.utf8)) + [0x0D, 0x0A]
        }
        // A text that ends with a line break has no line behind it.
        if text.last?.isNewline == true { encoded.removeLast(2) }
        return encoded
    }

    private static func line(_ bytes: [UInt8]) -> [UInt8] {
        var (encoded, used) = ([UInt8](), 0)
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            let piece = isLiteral(byte, isLast: isLast, line: bytes, at: index) ? [byte] : escape(byte)
            // A soft line break takes the last column, which only the end of the line may have.
            if used + piece.count > (isLast ? lineLength : lineLength - 1) {
                encoded += [UInt8(ascii: "="), 0x0D, 0x0A]
                used = 0
            }
            encoded += piece
            used += piece.count
        }
        return encoded
    }

    /// A blank at the end of a line may get lost on its way; a line that begins with `From ` gets a `>` in some
    /// mailboxes, and a dot alone ends a message for some programs.
    private static func isLiteral(_ byte: UInt8, isLast: Bool, line: [UInt8], at index: Int) -> Bool {
        switch byte {
        case 0x20, 0x09: !isLast
        case UInt8(ascii: "="): false
        case UInt8(ascii: "F"): index > 0 || !line.starts(with: "From ".utf8)
        case UInt8(ascii: "."): index > 0
        case 0x21...0x7E: true
        default: false
        }
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
    }
}
