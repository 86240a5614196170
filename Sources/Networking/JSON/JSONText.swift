/// Escapes in JSON texts (RFC 8259 §7).
enum JSONText {
    /// Reads a text whose escapes are valid. A half of a surrogate pair becomes U+FFFD.
    static func unescaped(_ content: ArraySlice<UInt8>) -> String {
        var units: [UInt8] = []
        units.reserveCapacity(content.count)
        var rest = content
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                units.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "u"): units.append(contentsOf: String(scalar(&rest)).utf8)
            default: units.append(escape)
            }
        }
        return String(decoding: units, as: UTF8.self)
    }

    static func hasValidEscapes(_ content: ArraySlice<UInt8>) -> Bool {
        var rest = content
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else { continue }
            switch rest.popFirst() {
            case .some(let escape) where "\"\\/bfnrt".utf8.contains(escape): continue
            case UInt8(ascii: "u"):
                guard hexadecimal(rest.prefix(4)) != nil else { return false }
                rest = rest.dropFirst(4)
            default: return false
            }
        }
        return true
    }

    /// A text in quotation marks.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Takes the digits after `\u`, and the second half of a surrogate pair.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar {
        guard let first = hexadecimal(rest.prefix(4)) else { return "\u{FFFD}" }
        rest = rest.dropFirst(4)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800...0xDBFF).contains(first), rest.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]),
            let second = hexadecimal(rest.dropFirst(2).prefix(4)), (0xDC00...0xDFFF).contains(second)
        else { return "\u{FFFD}" }
        rest = rest.dropFirst(6)
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32? {
        guard digits.count == 4 else { return nil }
        var value: UInt32 = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: value = value << 4 | UInt32(digit - 0x30)
            case 0x41...0x46, 0x61...0x66: value = value << 4 | (UInt32(digit | 0x20) - 0x57)
            default: return nil
            }
        }
        return value
    }
}
