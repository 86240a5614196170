/// Bytes as text (RFC 4648 §4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: digits(bytes), as: UTF8.self) }

    /// In lines of 76 characters that end with CR and LF (RFC 2045 §6.8).
    static func lines(_ bytes: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(bytes.count / 57 * 78 + 80)
        for start in stride(from: 0, to: bytes.count, by: 57) {
            lines += digits(bytes[start..<min(start + 57, bytes.count)])
            lines += [0x0D, 0x0A]
        }
        return lines
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var (digits, group, count) = ([UInt8](), 0, 0)
        for byte in bytes {
            group = group << 8 | Int(byte)
            count += 1
            guard count == 3 else { continue }
            for shift in [18, 12, 6, 0] { digits.append(alphabet[group >> shift & 0x3F]) }
            (group, count) = (0, 0)
        }
        guard count > 0 else { return digits }
        group <<= 8 * (3 - count)
        for shift in [18, 12, 6, 0].prefix(count + 1) { digits.append(alphabet[group >> shift & 0x3F]) }
        return digits + [UInt8](repeating: UInt8(ascii: "="), count: 3 - count)
    }
}
