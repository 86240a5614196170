internal import SettingsFile

/// Bytes of which some are not known: hexadecimal digits, and `**` for each byte that was masked.
struct MaskedBytes: Hashable, Sendable {
    /// Zero where a byte is hidden.
    var bytes: [UInt8] = []
    var isHidden: [Bool] = []

    /// - Throws: `SettingsError`, which does not quote the text.
    init(_ node: SettingsNode) throws(SettingsError) {
        let digits = Array(try node.concealed.text(length: 0...140_000).utf8)
        guard digits.count % 2 == 0 else { throw Self.failure(node) }
        for start in stride(from: 0, to: digits.count, by: 2) {
            let (high, low) = (digits[start], digits[start + 1])
            if high == UInt8(ascii: "*"), low == high {
                bytes.append(0)
                isHidden.append(true)
            } else if let high = Self.digit(high), let low = Self.digit(low) {
                bytes.append(high << 4 | low)
                isHidden.append(false)
            } else {
                throw Self.failure(node)
            }
        }
    }

    private static func failure(_ node: SettingsNode) -> SettingsError {
        node.concealed.error("not bytes", fix: "write two hexadecimal digits for each byte, or ** for a masked one")
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
