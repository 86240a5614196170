/// A BER tag of one to four bytes, big-endian (ISO/IEC 8825-1; EMV Book 3 annex B1).
public struct BERTag: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// The tag's bytes as one number: `0x9F26` is the tag 9F 26.
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public init(integerLiteral value: UInt32) { rawValue = value }

    public static func < (first: BERTag, second: BERTag) -> Bool { first.rawValue < second.rawValue }

    /// The encoded tag, 1...4 bytes.
    public var bytes: [UInt8] {
        let all = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> UInt32(24 - $0 * 8)) }
        let significant = Array(all.drop { $0 == 0 })
        return significant.isEmpty ? [0] : significant
    }

    /// Whether the value is itself a series of data objects (b6 of the first byte).
    public var isConstructed: Bool {
        let shift: UInt32 =
            switch rawValue {
            case ..<0x100: 0
            case ..<0x1_0000: 8
            case ..<0x100_0000: 16
            default: 24
            }
        return rawValue >> shift & 0x20 != 0
    }

    /// Upper-case hexadecimal digits, for example `9F26`.
    public var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
