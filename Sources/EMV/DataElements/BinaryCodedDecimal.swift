/// Numbers as two decimal digits a byte: format n (EMV Book 3 §4.3).
enum BinaryCodedDecimal {
    /// The last `byteCount * 2` digits of `number`, with zeros on the left.
    static func encode(_ number: UInt64, byteCount: Int) -> [UInt8] {
        var rest = number
        var bytes = [UInt8](repeating: 0, count: byteCount)
        for index in bytes.indices.reversed() {
            bytes[index] = UInt8(rest % 10) | UInt8(rest / 10 % 10) << 4
            rest /= 100
        }
        return bytes
    }

    /// The number, or nil when a nibble is no digit or there are more than nine bytes.
    static func decode(_ bytes: some Collection<UInt8>) -> UInt64? {
        guard bytes.count <= 9 else { return nil }
        var number: UInt64 = 0
        for byte in bytes {
            guard byte >> 4 <= 9, byte & 0x0F <= 9 else { return nil }
            number = number * 100 + UInt64(byte >> 4) * 10 + UInt64(byte & 0x0F)
        }
        return number
    }
}
