import Text

/// A part of a message's body (RFC 2045, RFC 2046).
indirect enum BodyPart: Hashable, Sendable {
    /// Header fields and the content in 7-bit lines.
    case single(fields: [HeaderField], content: [UInt8])
    /// Several parts, or alternatives with the best one last. No part contains the boundary.
    case multipart(subtype: String, boundary: String, parts: [BodyPart])

    static func text(_ text: String, subtype: String) -> BodyPart {
        .single(
            fields: [
                HeaderField("Content-Type", ["text/\(subtype);", "charset=utf-8"]),
                HeaderField("Content-Transfer-Encoding", "quoted-printable"),
            ], content: QuotedPrintable.lines(text))
    }

    static func attachment(_ attachment: MailAttachment) -> BodyPart {
        .single(
            fields: [
                HeaderField("Content-Type", ["\(attachment.type);", "name=\"\(attachment.name)\""]),
                HeaderField("Content-Disposition", ["attachment;", "filename=\"\(attachment.name)\""]),
                HeaderField("Content-Transfer-Encoding", "base64"),
            ], content: attachment.bytes.base64Lines)
    }

    /// The header fields, an empty line, and the content.
    var bytes: [UInt8] {
        switch self {
        case .single(let fields, let content):
            return Array(fields.map(\.text).joined().utf8) + [0x0D, 0x0A] + content
        case .multipart(let subtype, let boundary, let parts):
            let type = HeaderField("Content-Type", ["multipart/\(subtype);", "boundary=\"\(boundary)\""])
            var bytes = Array("\(type.text)\r\n".utf8)
            for (index, part) in parts.enumerated() {
                // The line break before a boundary belongs to the boundary.
                bytes += Array("\(index == 0 ? "" : "\r\n")--\(boundary)\r\n".utf8) + part.bytes
            }
            return bytes + Array("\r\n--\(boundary)--\r\n".utf8)
        }
    }
}

/// Encodes text as quoted-printable: ASCII lines that stay mostly readable (RFC 2045 §6.7).
enum QuotedPrintable {
    private static let lineLength = 76

    /// Encodes a text. The lines end with CR and LF.
    static func lines(_ text: String) -> [UInt8] {
        var encoded: [UInt8] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            encoded += self.line(Array(line.utf8)) + [0x0D, 0x0A]
        }
        // No line follows the last line break.
        if text.last?.isNewline == true { encoded.removeLast(2) }
        return encoded
    }

    private static func line(_ bytes: [UInt8]) -> [UInt8] {
        var (encoded, used) = ([UInt8](), 0)
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            let piece = isLiteral(byte, isLast: isLast, line: bytes, at: index) ? [byte] : escape(byte)
            // A soft line break uses the last column, which only the end of a line may use otherwise.
            if used + piece.count > (isLast ? lineLength : lineLength - 1) {
                encoded += [UInt8(ascii: "="), 0x0D, 0x0A]
                used = 0
            }
            encoded += piece
            used += piece.count
        }
        return encoded
    }

    /// Mail systems may drop a blank at the end of a line, add `>` to a line that begins with `From `, and treat a line
    /// with only a dot as the end of the message.
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

    private static func escape(_ byte: UInt8) -> [UInt8] { Array("=\(byte.hexadecimal)".utf8) }
}

extension [UInt8] {
    /// The bytes in Base64, in lines of 76 characters that end with CR and LF (RFC 2045 §6.8).
    fileprivate var base64Lines: [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(count / 57 * 78 + 80)
        for start in stride(from: 0, to: count, by: 57) {
            lines += self[start..<Swift.min(start + 57, count)].base64Digits
            lines += [0x0D, 0x0A]
        }
        return lines
    }
}
