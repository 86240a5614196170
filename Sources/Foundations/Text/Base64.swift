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
