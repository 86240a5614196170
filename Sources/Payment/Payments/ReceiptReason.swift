/// Why the card or the terminal declined, without the issuer or despite its approval.
public enum TerminalDeclineReason: Hashable, Sendable, CustomStringConvertible {
    /// The card asked for a decline (AAC).
    case declinedByCard
    /// Terminal action analysis, without asking the issuer.
    case declinedByTerminal
    /// The card's cryptogram is not signed as it should be (CDA).
    case cardNotAuthenticated
    /// The issuer gave no reason.
    case notApproved
    /// The issuer approved only a part of the amount (response code 10).
    case partialApproval
    /// The card rejected the PIN, and no other was entered; with the PIN tries left, if the card returned them.
    case wrongPIN(triesLeft: UInt8?)
    /// The card needs a PIN, and the terminal cannot take it.
    case pinRequired
    case cardExpired
    /// The service code does not allow the payment.
    case cardForOtherUse(ServiceLimit)
    /// The card is on the exception file. Do not show this reason to the cardholder.
    case onExceptionFile
    /// The issuer blocked the card.
    case cardBlocked
    /// The issuer blocked the application, and there is no other one.
    case applicationBlocked

    /// A limit on the use of a card by its service code (ISO/IEC 7813).
    public enum ServiceLimit: String, Hashable, Sendable {
        case bilateral = "the card is not for use here"
        case tests = "the card is for tests only"
        case cash = "the card is for cash only"
    }

    public var description: String {
        switch self {
        case .declinedByCard: "the card declined"
        case .declinedByTerminal: "the terminal declined without asking the issuer"
        case .cardNotAuthenticated: "the card could not be authenticated"
        case .notApproved: "the issuer does not approve"
        case .partialApproval: "the issuer approves only a part of the amount"
        case .wrongPIN(nil): "wrong PIN"
        case .wrongPIN(0): "wrong PIN, no tries left"
        case .wrongPIN(1): "wrong PIN, 1 try left"
        case .wrongPIN(let tries?): "wrong PIN, \(tries) tries left"
        case .pinRequired: "the card needs its PIN"
        case .cardExpired: "the card has expired"
        case .cardForOtherUse(let limit): limit.rawValue
        case .onExceptionFile: "the card is on the exception file"
        case .cardBlocked: "the issuer blocked this card: use another one"
        case .applicationBlocked: "the issuer blocked the card's application: use another card"
        }
    }
}

/// Why a payment was not made, as receipts say it to people: each has a text in each language of receipts. It has no
/// details of hosts, readers, or programs.
public enum ReceiptReason: String, Hashable, Sendable, Codable, CaseIterable {
    // The issuer.
    case notApproved = "not_approved"
    case tryLater = "try_later"
    case callIssuer = "call_issuer"
    case invalidAccount = "invalid_account"
    case currencyNotSupported = "currency_not_supported"
    case duplicatePayment = "duplicate_payment"
    case insufficientFunds = "insufficient_funds"
    case amountNotAccepted = "amount_not_accepted"
    case limitExceeded = "limit_exceeded"
    case tooManyWrongPINs = "too_many_wrong_pins"
    case partialApproval = "partial_approval"
    // The issuer or the terminal.
    case cardNotSupported = "card_not_supported"
    case cardExpired = "card_expired"
    case cardBlocked = "card_blocked"
    case cardNotAuthenticated = "card_not_authenticated"
    case pinRequired = "pin_required"
    case wrongPIN = "wrong_pin"
    case declinedByCard = "declined_by_card"
    case declinedByTerminal = "declined_by_terminal"
    // No decline.
    case canceled = "cancelled"
    case canceledByCardholder = "cancelled_by_cardholder"
    case interrupted
    case issuerUnreachable = "issuer_unreachable"
    case noAnswer = "no_answer"
    case cardRemoved = "card_removed"
    case cardNotRead = "card_not_read"
    case readerFailed = "reader_failed"
    /// There is no text for the reason, or this version does not know it.
    case other

    /// Reads an unknown word as ``other``: a newer version wrote it.
    public init(from decoder: any Decoder) throws {
        self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
    }
}

extension ReceiptReason {
    /// The reason of an issuer. Suspected fraud reads like any other decline.
    public init(_ reason: DeclineReason) {
        self =
            switch reason {
            case .fraud, .generic, .terminalNotPermitted, .transactionNotPossible, .unknown: .notApproved
            case .temporary: .tryLater
            case .callIssuer: .callIssuer
            case .invalidAccount: .invalidAccount
            case .cardNotSupported: .cardNotSupported
            case .currencyNotSupported: .currencyNotSupported
            case .duplicateTransaction: .duplicatePayment
            case .expiredCard: .cardExpired
            case .insufficientFunds: .insufficientFunds
            case .invalidAmount: .amountNotAccepted
            case .limitExceeded: .limitExceeded
            case .pinRequired: .pinRequired
            case .incorrectPIN: .wrongPIN
            case .tooManyPINTries: .tooManyWrongPINs
            case .securityFailure: .cardNotAuthenticated
            }
    }

    /// The reason of a card or a terminal. A card on the exception file reads like any other decline.
    public init(_ reason: TerminalDeclineReason) {
        self =
            switch reason {
            case .declinedByCard: .declinedByCard
            case .declinedByTerminal, .onExceptionFile: .declinedByTerminal
            case .cardNotAuthenticated: .cardNotAuthenticated
            case .notApproved: .notApproved
            case .partialApproval: .partialApproval
            case .wrongPIN(0): .tooManyWrongPINs
            case .wrongPIN: .wrongPIN
            case .pinRequired: .pinRequired
            case .cardExpired: .cardExpired
            case .cardForOtherUse: .cardNotSupported
            case .cardBlocked, .applicationBlocked: .cardBlocked
            }
    }
}
