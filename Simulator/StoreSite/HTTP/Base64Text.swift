/// Base64 (RFC 4648 §4), as Basic authentication uses it.
enum Base64Text {
    static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        var result: [UInt8] = []
        var (word, bits) = (UInt32(0), 0)
        var isPadded = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "=") {
                isPadded = true
                continue
            }
            guard !isPadded, let value = value(byte) else { return nil }
            word = (word << 6 | value) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                result.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
            }
        }
        return result
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x41...0x5A: UInt32(byte) - 0x41
        case 0x61...0x7A: UInt32(byte) - 0x61 + 26
        case 0x30...0x39: UInt32(byte) - 0x30 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
