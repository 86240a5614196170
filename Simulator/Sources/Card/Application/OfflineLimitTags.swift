internal import SmartCard

/// Where a scheme keeps the card's own limits of offline payments, for GET DATA and PUT DATA.
struct OfflineLimitTags: Sendable {
    let lowerCount: BERTag
    let upperCount: BERTag
    let lowerAmount: BERTag
    let upperAmount: BERTag
    /// What can still be spent offline.
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
    /// The values by tag, one byte or six bytes of decimal digits; those that the card has.
    func values(_ tags: OfflineLimitTags) -> [BERTag: [UInt8]] {
        var values: [BERTag: [UInt8]] = [:]
        values[tags.lowerCount] = lowerCount.map { [$0] }
        values[tags.upperCount] = upperCount.map { [$0] }
        values[tags.lowerAmount] = lowerAmount.map(Self.packedAmount)
        values[tags.upperAmount] = upperAmount.map(Self.packedAmount)
        return values
    }

    /// Takes a value under its tag.
    ///
    /// - Returns: false when the limit is none of the card's, or the value none of its form.
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

    /// An amount in six bytes, two decimal digits each (format n 12).
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
