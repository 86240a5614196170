/// When a rule of the CVM list applies (EMV Book 3 annex C3, byte 2 of a rule).
enum CVMCondition: UInt8, Hashable, Sendable {
    case always = 0x00
    case unattendedCash = 0x01
    case notCashAndNotCashback = 0x02
    case terminalSupportsMethod = 0x03
    case manualCash = 0x04
    case cashback = 0x05
    case underX = 0x06
    case overX = 0x07
    case underY = 0x08
    case overY = 0x09
}

/// What conditions are judged by.
struct CVMCircumstances: Hashable, Sendable {
    var isAttended: Bool
    var kind: TransactionRequest.Kind
    var hasCashback: Bool
    /// Amount, authorised, in minor units.
    var amount: Int64
    /// Whether the transaction is in the application currency (9F42); false when the card names none.
    var isInApplicationCurrency: Bool
    var capabilities: TerminalCapabilities

    /// Whether `rule` applies. A condition that is not understood, or for whose test data is missing, does
    /// not hold (§10.5).
    func satisfy(_ rule: CVMRule, in list: CVMList) -> Bool {
        guard let condition = rule.condition else { return false }
        switch condition {
        case .always: return true
        case .unattendedCash: return kind == .cash && !isAttended
        case .notCashAndNotCashback: return kind != .cash && kind != .cashback && !hasCashback
        case .terminalSupportsMethod: return rule.method?.isSupported(by: capabilities) ?? false
        case .manualCash: return kind == .cash && isAttended
        case .cashback: return kind == .cashback || hasCashback
        case .underX: return isInApplicationCurrency && amount < Int64(list.amountX)
        case .overX: return isInApplicationCurrency && amount > Int64(list.amountX)
        case .underY: return isInApplicationCurrency && amount < Int64(list.amountY)
        case .overY: return isInApplicationCurrency && amount > Int64(list.amountY)
        }
    }
}
