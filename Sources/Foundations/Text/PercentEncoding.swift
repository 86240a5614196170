/// Percent-encoding (RFC 3986 §2.1). Everything but unreserved characters is encoded, so the result fits into a
/// path, a query and a form alike.
public enum PercentEncoding {
    /// Encodes everything but ASCII letters, digits, `-`, `.`, `_` and `~`.
    public static func encode(_ text: some StringProtocol) -> String {
        var result = ""
        for byte in text.utf8 {
            if isUnreserved(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += escape(byte)
            }
        }
        return result
    }

    /// Joins `name=value` pairs with `&`, as a query and a form have them.
    public static func form(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    /// Decodes `%41`. An invalid escape stays as it is; bytes that are not UTF-8 become replacement characters.
    ///
    /// - Parameters:
    ///   - text: the encoded text.
    ///   - plusIsSpace: whether `+` stands for a blank, as in forms (URL Standard §5).
    /// - Returns: the text.
    public static func decode(_ text: some StringProtocol, plusIsSpace: Bool = true) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), let escaped = [UInt8](hexadecimalDigits: digits)?.first {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// One byte as `%41`.
    public static func escape(_ byte: UInt8) -> String { "%" + byte.hexadecimal }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x30...0x39: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
