/// A reader's firmware release, bcdDevice of the device descriptor (USB 2.0 §9.6.1). Written as `5.16` for 0516: the
/// digits are hexadecimal, because makers do not keep to decimal ones.
public struct ReaderRelease: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
    /// bcdDevice
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let lowest = ReaderRelease(rawValue: 0)
    public static let highest = ReaderRelease(rawValue: 0xFFFF)
    /// Every release.
    public static let all = lowest...highest

    /// Reads `5.16`: one or two hexadecimal digits, a point, two hexadecimal digits. Nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy(Self.isHexadecimalDigit) }),
            let major = UInt16(parts[0], radix: 16), let minor = UInt16(parts[1], radix: 16)
        else { return nil }
        rawValue = major << 8 | minor
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    public static func < (left: ReaderRelease, right: ReaderRelease) -> Bool { left.rawValue < right.rawValue }

    public var description: String {
        let minor = rawValue & 0xFF
        return String(rawValue >> 8, radix: 16) + (minor < 0x10 ? ".0" : ".") + String(minor, radix: 16)
    }
}
