import SmartCard

/// The card's limits for consecutive offline payments and their total amount. Beyond a lower limit the card requests
/// online authorization; beyond an upper limit it declines if it cannot go online.
public struct OfflineLimits: Hashable, Sendable {
    /// The limit for consecutive offline payments.
    public var lowerCount: UInt8?
    public var upperCount: UInt8?
    /// The limit for their total, in minor units of the card's currency.
    public var lowerAmount: Int64?
    public var upperAmount: Int64?

    /// Sets the limits: counts of payments, and amounts in minor units of the card's currency. Nil is no limit.
    public init(
        lowerCount: UInt8? = nil, upperCount: UInt8? = nil, lowerAmount: Int64? = nil, upperAmount: Int64? = nil
    ) {
        (self.lowerCount, self.upperCount) = (lowerCount, upperCount)
        (self.lowerAmount, self.upperAmount) = (lowerAmount, upperAmount)
    }

    /// The limits that a payment exceeds.
    public struct Exceeded: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8

        /// Takes the bits of the limits below.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let lowerCount = Exceeded(rawValue: 1)
        public static let upperCount = Exceeded(rawValue: 2)
        public static let lowerAmount = Exceeded(rawValue: 4)
        public static let upperAmount = Exceeded(rawValue: 8)
    }

    /// Returns the limits exceeded by `count` consecutive payments. An `amount` of nil stands for an unknown total
    /// and exceeds every amount limit.
    public func exceeded(count: Int, amount: Int64?) -> Exceeded {
        var exceeded: Exceeded = []
        if let lowerCount, count > Int(lowerCount) { exceeded.insert(.lowerCount) }
        if let upperCount, count > Int(upperCount) { exceeded.insert(.upperCount) }
        if let lowerAmount, amount.map({ $0 > lowerAmount }) ?? true { exceeded.insert(.lowerAmount) }
        if let upperAmount, amount.map({ $0 > upperAmount }) ?? true { exceeded.insert(.upperAmount) }
        return exceeded
    }
}

/// The tags under which a scheme stores the offline limits, for GET DATA and PUT DATA.
struct OfflineLimitTags: Sendable {
    let lowerCount, upperCount, lowerAmount, upperAmount: BERTag
    /// The amount still available offline.
    let availableAmount: BERTag

    init(_ version: CryptogramVersion) {
        switch version {
        case .cvn10, .cvn18:
            (lowerCount, upperCount, lowerAmount, upperAmount) = (0x9F58, 0x9F59, 0x9F54, 0x9F5C)
            availableAmount = 0x9F5D
        case .mChip, .mChipCommonSessionKey, .mChipEMV2000, .aes:
            (lowerCount, upperCount, lowerAmount, upperAmount) = (0x9F14, 0x9F23, 0xCA, 0xCB)
            availableAmount = 0x9F50
        }
    }
}

extension OfflineLimits {
    /// Returns the card's limits by tag: one byte, or an amount of six bytes (format n 12).
    func values(_ tags: OfflineLimitTags) -> [BERTag: [UInt8]] {
        var values: [BERTag: [UInt8]] = [:]
        values[tags.lowerCount] = lowerCount.map { [$0] }
        values[tags.upperCount] = upperCount.map { [$0] }
        values[tags.lowerAmount] = lowerAmount.map(Self.packedAmount)
        values[tags.upperAmount] = upperAmount.map(Self.packedAmount)
        return values
    }

    /// Sets the limit with this tag.
    ///
    /// - Returns: false if the card has no such limit or the value is malformed.
    mutating func take(_ tag: BERTag, _ value: [UInt8], _ tags: OfflineLimitTags) -> Bool {
        guard values(tags)[tag]?.count == value.count else { return false }
        switch tag {
        case tags.lowerCount: lowerCount = value.first
        case tags.upperCount: upperCount = value.first
        default:
            guard let amount = CardTransaction.amount(value) else { return false }
            if tag == tags.lowerAmount { lowerAmount = amount } else { upperAmount = amount }
        }
        return true
    }

    /// Encodes an amount as six bytes with two decimal digits each (format n 12).
    static func packedAmount(_ amount: Int64) -> [UInt8] {
        var rest = min(max(amount, 0), 999_999_999_999)
        var bytes = [UInt8](repeating: 0, count: 6)
        for index in bytes.indices.reversed() {
            let pair = UInt8(rest % 100)
            bytes[index] = (pair / 10) << 4 | pair % 10
            rest /= 100
        }
        return bytes
    }
}
