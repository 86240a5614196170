/// Which of a card's accounts was chosen: tag 5F57 (EMV Book 3, annex G).
public enum AccountType: String, Hashable, Sendable, Codable, CaseIterable {
    case savings
    /// Cheque or debit.
    case cheque
    case credit

    /// Nil for the default account, which nobody chose, and for what the standard keeps for later.
    public init?(code: UInt8) {
        switch code {
        case 0x10: self = .savings
        case 0x20: self = .cheque
        case 0x30: self = .credit
        default: return nil
        }
    }
}
