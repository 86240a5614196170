/// Which of a card's accounts is used: tag 5F57 (EMV Book 3, annex G).
public enum AccountType: String, Hashable, Sendable, Codable, CaseIterable {
    case savings
    /// Cheque or debit.
    case cheque
    case credit

    /// The value of the tag.
    public var code: UInt8 {
        switch self {
        case .savings: 0x10
        case .cheque: 0x20
        case .credit: 0x30
        }
    }

    /// Nil for the default account, which nobody chose, and for what the standard keeps for later.
    init?(code: UInt8) {
        guard let type = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = type
    }

    /// The account that an application stands for by itself: eftpos Australia has one for each. Nil for others.
    init?(application aid: [UInt8]) {
        switch aid {
        case [0xA0, 0, 0, 0x03, 0x84, 0x10]: self = .savings
        case [0xA0, 0, 0, 0x03, 0x84, 0x20]: self = .cheque
        default: return nil
        }
    }
}
