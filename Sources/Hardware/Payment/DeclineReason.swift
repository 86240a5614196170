/// Why an issuer declined, from the response code of DE 39.
public enum DeclineReason: String, Hashable, Sendable, Codable, CaseIterable, CustomStringConvertible {
    case temporary
    /// Suspected fraud, lost or stolen. Never told to the cardholder as such.
    case fraud
    case generic
    /// The issuer wants to be telephoned before it decides.
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
    case unknown

    /// - Parameter responseCode: the two characters of DE 39 (ISO 8583:1987, as the card schemes use it).
    public init(responseCode: String) {
        self =
            switch responseCode {
            case "05", "57", "58": .generic
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
            case "19", "91", "96", "06", "09": .temporary
            case "94": .duplicateTransaction
            default: .unknown
            }
    }

    public var description: String {
        switch self {
        case .temporary: "the issuer cannot answer now, try again later"
        case .fraud, .generic, .unknown: "the issuer does not approve"
        case .callIssuer: "the issuer wants to be called"
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
        }
    }

    /// Whether trying the same card again may help.
    public var mayRetry: Bool {
        switch self {
        case .temporary, .generic, .callIssuer, .insufficientFunds, .pinRequired, .incorrectPIN, .limitExceeded,
            .unknown:
            true
        default: false
        }
    }
}
