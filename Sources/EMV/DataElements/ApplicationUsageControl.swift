/// Where and for what the issuer lets the card be used (tag 9F07, EMV Book 3 annex C2).
public struct ApplicationUsageControl: ByteFlags {
    public static let byteCount = 2
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let domesticCash = Self(byte: 1, 0x80)
    public static let internationalCash = Self(byte: 1, 0x40)
    public static let domesticGoods = Self(byte: 1, 0x20)
    public static let internationalGoods = Self(byte: 1, 0x10)
    public static let domesticServices = Self(byte: 1, 0x08)
    public static let internationalServices = Self(byte: 1, 0x04)
    public static let atms = Self(byte: 1, 0x02)
    public static let terminalsOtherThanATMs = Self(byte: 1, 0x01)
    public static let domesticCashback = Self(byte: 2, 0x80)
    public static let internationalCashback = Self(byte: 2, 0x40)
}
