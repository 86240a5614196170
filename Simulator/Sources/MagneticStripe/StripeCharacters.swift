internal import CardSecrets

/// Writes and reads the characters of a stripe (ISO/IEC 7811-6), by itself: nothing of the driver's is in it.
struct StripeCharacters {
    /// 6 for track 1, 4 for tracks 2 and 3.
    let dataBits: UInt8
    /// The character that all bits zero stand for.
    let zero: UInt8

    static let alphanumeric = StripeCharacters(dataBits: 6, zero: UInt8(ascii: " "))
    static let numeric = StripeCharacters(dataBits: 4, zero: UInt8(ascii: "0"))

    /// Characters with their parity bits, and the redundancy character behind them.
    func encode(_ text: [UInt8]) -> [UInt8] {
        var data = text.map { ($0 &- zero) & mask }
        data.append(data.reduce(0, ^))
        defer { data.wipe() }
        return data.map(withParity)
    }

    /// The characters without the redundancy character; nil when a parity bit or that is wrong.
    func decode(_ characters: [UInt8]) -> [UInt8]? {
        var sum: UInt8 = 0
        for character in characters {
            guard withParity(character & mask) == character else { return nil }
            sum ^= character & mask
        }
        return sum == 0 ? characters.dropLast().map { ($0 & mask) + zero } : nil
    }

    private var mask: UInt8 { 1 << dataBits - 1 }

    private func withParity(_ data: UInt8) -> UInt8 {
        data.nonzeroBitCount.isMultiple(of: 2) ? data | 1 << dataBits : data
    }
}
