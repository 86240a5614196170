import CardSecrets
public import Determinism
public import EMV
public import MagneticStripe
public import Money

/// An authorization request: the payment's parameters and the card data, which it owns.
public struct AuthorizationRequest: ~Copyable, Sendable {
    public let key: IdempotencyKey
    /// System trace audit number (DE 11), 1...999,999.
    public let stan: UInt32
    public let amount: Money
    public let date: CivilDate
    /// Whether the amount is only held, and captured later.
    public let isPreauthorization: Bool
    /// The card data, by entry mode.
    public let card: PresentedCard

    /// Takes the card over. `key` and `stan` are those of the recorded attempt; `date` is the terminal's local time.
    public init(
        key: IdempotencyKey, stan: UInt32, amount: Money, date: CivilDate, isPreauthorization: Bool = false,
        card: consuming PresentedCard
    ) {
        (self.key, self.stan, self.amount, self.date) = (key, stan, amount, date)
        self.isPreauthorization = isPreauthorization
        self.card = card
    }
}

/// The card data of an authorization request, by entry mode.
public enum PresentedCard: ~Copyable, Sendable {
    case chip(OnlineAuthorizationRequest)
    case stripe(MagneticStripeAuthorizationRequest)

    /// The entry mode (DE 22), as the journal and the receipt show it.
    public var entryMode: CardDetails.EntryMode {
        switch self {
        case .chip(let chip): chip.isContactless ? .contactless : .chip
        case .stripe(let stripe): stripe.isFallback ? .fallback : .swipe
        }
    }

    /// The last four digits of the PAN.
    public var lastFour: String {
        switch self {
        case .chip(let chip): chip.pan.lastFour
        case .stripe(let stripe): stripe.card.pan.lastFour
        }
    }
}

/// The data of a swiped card for its issuer: the tracks and the terminal's data.
public struct MagneticStripeAuthorizationRequest: ~Copyable, Sendable {
    /// Account, expiry, and the tracks (DE 35, DE 45).
    public let card: SwipedCard
    /// Whether the card has a chip that could not be read, so that it was swiped instead.
    public let isFallback: Bool
    /// The terminal's country (ISO 3166-1, numeric). Some cards are valid only in the country of their issuer.
    public let terminalCountry: UInt16
    /// How the cardholder was verified, as far as the terminal can tell.
    public let verification: CardDetails.CardholderVerification
    /// The cardholder's PIN as an enciphered block, when the issuer is to verify it.
    public let pinBlock: EncipheredPINBlock?

    /// Takes the swiped card over. `terminalCountry` is an ISO 3166-1 number; `pinBlock` is that of an online PIN.
    public init(
        card: consuming SwipedCard, isFallback: Bool, terminalCountry: UInt16,
        verification: CardDetails.CardholderVerification, pinBlock: EncipheredPINBlock?
    ) {
        self.card = card
        (self.isFallback, self.terminalCountry) = (isFallback, terminalCountry)
        (self.verification, self.pinBlock) = (verification, pinBlock)
    }
}

/// The host's answer to an authorization or a refund.
public struct AuthorizationResponse: Hashable, Sendable {
    /// The host's own reference for the transaction (DE 37), 12 characters.
    public var reference: String
    /// DE 39, DE 38 and the ICC data.
    public var answer: IssuerAnswer
    /// DE 39 as the host sent it, where ``responseCode`` is another code with the same meaning; nil where it is the
    /// same.
    public var hostCode: String?
    /// DE 39 as the host sent it, with its meaning, such as `1020 (not permitted to the terminal)`; nil at a host
    /// without a message profile.
    public var hostWords: String?
    /// The amount that a partial approval (code 10) is for; nil for the whole amount, and when the host does not say.
    public var approvedAmount: Money?

    /// Takes the host's answer. `approvedAmount` is that of a partial approval, nil for the whole amount.
    public init(
        reference: String, answer: IssuerAnswer, hostCode: String? = nil, hostWords: String? = nil,
        approvedAmount: Money? = nil
    ) {
        (self.reference, self.answer, self.hostCode) = (reference, answer, hostCode)
        (self.hostWords, self.approvedAmount) = (hostWords, approvedAmount)
    }

    /// The code of a decline with its meaning for the till's display, such as `response code 51 (not sufficient
    /// funds)`. Suspected fraud has no meaning there, because the cardholder may see it. Nil at a host without a
    /// message profile.
    public var declineWords: String? {
        guard let hostWords else { return nil }
        let isSecret = DeclineReason(responseCode: responseCode) == .fraud
        return "response code " + (isSecret ? hostCode ?? responseCode : hostWords)
    }

    /// DE 39 as text, for example `00` or `51`.
    public var responseCode: String { String(decoding: answer.authorizationResponseCode, as: UTF8.self) }

    /// Whether the issuer approves: response codes 00, 10 and 11.
    public var isApproved: Bool { ["00", "10", "11"].contains(responseCode) }
}

/// Why an issuer declined, from the response code of DE 39.
public enum DeclineReason: String, Hashable, Sendable, Codable, CaseIterable, CustomStringConvertible {
    case temporary
    /// Suspected fraud, lost or stolen card. Do not show this reason to the cardholder.
    case fraud
    case generic
    /// The issuer asks for a telephone call (a referral) before it decides.
    case callIssuer
    case invalidAccount
    case cardNotSupported
    case currencyNotSupported
    case duplicateTransaction
    case expiredCard
    case insufficientFunds
    case invalidAmount
    case limitExceeded
    case pinRequired
    case incorrectPIN
    case tooManyPINTries
    case securityFailure
    /// The host does not know the terminal or the merchant, or does not permit them this transaction: another card
    /// does not help.
    case terminalNotPermitted
    /// The host takes no such message, or not in this form: another card does not help.
    case transactionNotPossible
    case unknown

    /// - Parameter responseCode: The two characters of DE 39 (ISO 8583:1987, as the card schemes use it).
    public init(responseCode: String) {
        self =
            switch responseCode {
            case "05", "57": .generic
            case "03", "58", "89": .terminalNotPermitted
            case "30", "40", "93", "98", "99": .transactionNotPossible
            case "04", "07", "34", "36", "41", "43", "59", "67": .fraud
            case "01", "02": .callIssuer
            case "12", "13": .invalidAmount
            case "14", "15", "52", "53", "78": .invalidAccount
            case "51": .insufficientFunds
            case "54", "33": .expiredCard
            case "55": .incorrectPIN
            case "61", "65": .limitExceeded
            case "62": .cardNotSupported
            case "63", "82", "88": .securityFailure
            case "1A", "70": .pinRequired
            case "75": .tooManyPINTries
            case "19", "68", "90", "91", "96", "06", "09": .temporary
            case "94": .duplicateTransaction
            default: .unknown
            }
    }

    public var description: String {
        switch self {
        case .temporary: "the issuer cannot answer now, try again later"
        case .fraud, .generic, .unknown: "the issuer does not approve"
        case .callIssuer: "call the card issuer"
        case .invalidAccount: "the card's account is not valid"
        case .cardNotSupported: "this card cannot be used here"
        case .currencyNotSupported: "the card does not take this currency"
        case .duplicateTransaction: "the issuer has seen this payment already"
        case .expiredCard: "the card has expired"
        case .insufficientFunds: "insufficient funds"
        case .invalidAmount: "the issuer does not take this amount"
        case .limitExceeded: "a limit of the card is exceeded"
        case .pinRequired: "the issuer asks for the PIN"
        case .incorrectPIN: "wrong PIN"
        case .tooManyPINTries: "too many wrong PINs"
        case .securityFailure: "the issuer does not accept the card's security data"
        case .terminalNotPermitted: "the host does not permit this to the terminal"
        case .transactionNotPossible: "the host does not take this transaction"
        }
    }

    /// Whether another attempt with the same card may succeed.
    public var mayRetry: Bool {
        switch self {
        case .temporary, .generic, .callIssuer, .insufficientFunds, .pinRequired, .incorrectPIN, .limitExceeded,
            .unknown:
            true
        default: false
        }
    }
}
