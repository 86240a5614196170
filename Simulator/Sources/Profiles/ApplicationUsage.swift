/// Where and for what an application may be used: the application usage control (tag 9F07; EMV Book 3
/// annex C2).
public struct ApplicationUsage: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let domesticCash = ApplicationUsage(rawValue: 0x8000)
    public static let internationalCash = ApplicationUsage(rawValue: 0x4000)
    public static let domesticGoods = ApplicationUsage(rawValue: 0x2000)
    public static let internationalGoods = ApplicationUsage(rawValue: 0x1000)
    public static let domesticServices = ApplicationUsage(rawValue: 0x0800)
    public static let internationalServices = ApplicationUsage(rawValue: 0x0400)
    public static let atm = ApplicationUsage(rawValue: 0x0200)
    public static let otherThanATM = ApplicationUsage(rawValue: 0x0100)
    public static let domesticCashback = ApplicationUsage(rawValue: 0x0080)
    public static let internationalCashback = ApplicationUsage(rawValue: 0x0040)
    public static let everything = ApplicationUsage(rawValue: 0xFFC0)

    /// The bits by the words that profiles use.
    public static let words: KeyValuePairs<String, ApplicationUsage> = [
        "everything": .everything, "domesticCash": .domesticCash, "internationalCash": .internationalCash,
        "domesticGoods": .domesticGoods, "internationalGoods": .internationalGoods,
        "domesticServices": .domesticServices, "internationalServices": .internationalServices, "atm": .atm,
        "otherThanATM": .otherThanATM, "domesticCashback": .domesticCashback,
        "internationalCashback": .internationalCashback,
    ]

    /// The value of tag 9F07, two bytes.
    public var encoded: [UInt8] { rawValue.bigEndianBytes }
}
