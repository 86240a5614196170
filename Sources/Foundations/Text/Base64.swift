extension Sequence<UInt8> {
    /// The bytes in Base64 with padding (RFC 4648 §4).
    public var base64: String { String(decoding: base64Digits, as: UTF8.self) }

    /// The bytes in Base64 with padding, as ASCII (RFC 4648 §4).
    public var base64Digits: [UInt8] {
        let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        return alphabet.withUTF8Buffer { alphabet in
            var (digits, group, count) = ([UInt8](), 0, 0)
            digits.reserveCapacity((underestimatedCount + 2) / 3 * 4)
            for byte in self {
                group = group << 8 | Int(byte)
                count += 1
                guard count == 3 else { continue }
                for shift in [18, 12, 6, 0] { digits.append(alphabet[group >> shift & 0x3F]) }
                (group, count) = (0, 0)
            }
            guard count > 0 else { return digits }
            group <<= 8 * (3 - count)
            for shift in [18, 12, 6, 0].prefix(count + 1) { digits.append(alphabet[group >> shift & 0x3F]) }
            digits.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - count))
            return digits
        }
    }
}

extension [UInt8] {
    /// Reads Base64 (RFC 4648 §4). The padding may be missing. Nil for any other character, and for a length that no
    /// bytes have.
    public init?(base64 text: some StringProtocol) {
        let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed() as [UInt8]
        guard digits.count % 4 != 1, text.utf8.count - digits.count <= 2 else { return nil }
        self = []
        reserveCapacity(digits.count * 3 / 4)
        var (group, bits) = (0, 0)
        for digit in digits {
            guard let value = digit.base64Value else { return nil }
            (group, bits) = ((group << 6 | value) & 0xFFFF, bits + 6)
            guard bits >= 8 else { continue }
            bits -= 8
            append(UInt8(truncatingIfNeeded: group >> bits))
        }
    }
}

extension UInt8 {
    /// The six bits of a digit of Base64; nil for any other character.
    fileprivate var base64Value: Int? {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(self) - 0x41
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(self) - 0x61 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(self) - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
