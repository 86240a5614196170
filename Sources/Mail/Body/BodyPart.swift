/// A part of a message's body (RFC 2045, RFC 2046).
indirect enum BodyPart: Hashable, Sendable {
    /// The fields that describe it, and its content in 7-bit lines.
    case single(fields: [HeaderField], content: [UInt8])
    /// Parts one after the other, or forms of one thing with the best one last. The boundary is in none of them.
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
            ], content: Base64.lines(attachment.bytes))
    }

    /// Its fields, an empty line, and its content.
    var bytes: [UInt8] {
        switch self {
        case .single(let fields, let content):
            return Array(fields.map(\.text).joined().utf8) + [0x0D, 0x0A] + content
        case .multipart(let subtype, let boundary, let parts):
            let type = HeaderField("Content-Type", ["multipart/\(subtype);", "boundary=\"\(boundary)\""])
            var bytes = Array("\(type.text)\r\n".utf8)
            for (index, part) in parts.enumerated() {
                // The line break in front of a boundary is the boundary's own.
                bytes += Array("\(index == 0 ? "" : "\r\n")--\(boundary)\r\n".utf8) + part.bytes
            }
            return bytes + Array("\r\n--\(boundary)--\r\n".utf8)
        }
    }
}
