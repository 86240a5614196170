public import Hardware

/// Where a receipt is not as a rule wants it.
public struct ReceiptFinding: Hashable, Sendable, Encodable {
    public enum Problem: String, Hashable, Sendable, Encodable {
        case missing
        /// It is there and must not be.
        case forbidden
    }

    public let field: ReceiptField
    public let problem: Problem
    /// ``ReceiptDemand/recommended`` when the receipt is none the worse for it.
    public let demand: ReceiptDemand
    public let copy: ReceiptCopy
    public let source: ReceiptRuleSource
    /// Where the field comes from.
    public let origin: String
    /// What to do.
    public let remedy: String

    init(_ rule: ReceiptRule, _ problem: Problem, on copy: ReceiptCopy) {
        (field, self.problem, demand, self.copy, source) = (rule.field, problem, rule.demand, copy, rule.source)
        (origin, remedy) = (rule.field.origin, rule.field.remedy)
    }

    /// Whether the receipt is wrong with it.
    public var isFault: Bool { demand != .recommended }
}

extension ReceiptField {
    /// Where it comes from.
    fileprivate var origin: String {
        switch self {
        case .merchantName, .merchantAddress, .merchantID, .terminalID, .businessNumber: "the till's configuration"
        case .dateTime: "the clock"
        case .transactionType, .amount, .approvedAmount: "the payment"
        case .items: "the order, as its store says"
        case .transactionRecord: "receipt.region of the configuration and the card's brand"
        case .cardBrand: "the card's application identifier, or its number"
        case .cardNumber: "the card: tag 5A or 57, or its stripe"
        case .entryMode: "the reader"
        case .accountType, .chosenAccount: "the cardholder's choice (tag 5F57), or the application"
        case .applicationID: "the card: tag 84"
        case .applicationName: "the card: tag 9F12, else 50"
        case .authorizationCode: "the host's answer: DE 38"
        case .hostReference: "the host's answer: DE 37"
        case .applicationCryptogram: "the card: tag 9F26"
        case .terminalVerificationResults: "the kernel: tag 95"
        case .issuerApplicationData: "the card: tag 9F10"
        case .pinStatement, .signatureLine: "the kernel: tag 9F34"
        case .fullCardNumber, .expirationDate: "a text of the configuration, the store or the host"
        }
    }

    /// What to do about it.
    fileprivate var remedy: String {
        switch self {
        case .merchantName: "set merchant.name"
        case .merchantAddress: "set merchant.address, a line each"
        case .merchantID: "set merchant.id to the number that the acquirer gave"
        case .terminalID: "set terminal.id to the number that the acquirer gave"
        case .businessNumber: "add a line with the CNPJ to merchant.address"
        case .dateTime: "nothing: the receipt was stored without it"
        case .transactionType, .amount, .approvedAmount: "nothing: the stored receipt is damaged"
        case .items: "make the order's lines, fees, shipping and taxes add up to its total in the store"
        case .transactionRecord: "nothing: it is printed with receipt.region ca"
        case .cardBrand: "add the application to 'applications', if its brand has none here"
        case .cardNumber, .entryMode: "take the payment again with the card read to its end"
        case .accountType, .chosenAccount: "ask the cardholder, and pay with --account"
        case .applicationID, .applicationName, .applicationCryptogram, .terminalVerificationResults:
            "nothing at the till: the card did not give it"
        case .issuerApplicationData:
            "nothing at the till: the card gave none, or the receipt is from before it was kept"
        case .authorizationCode, .hostReference: "ask the host's operator why its approvals come without"
        case .pinStatement, .signatureLine: "nothing: the stored receipt is damaged"
        case .fullCardNumber: "take the number out of that text: it is masked on paper, and is where it should not be"
        case .expirationDate: "take it out of merchant.address, receipt.header or receipt.footer"
        }
    }
}
