public import SmartCard

/// Why the kernel ended a transaction. Carries tags, lengths and status words, never card data.
public enum KernelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The card gave no answer.
    case channel(CardChannelError)
    /// The issuer blocked the card (6A81 to the first SELECT).
    case cardBlocked
    /// The issuer blocked the application, and the card has no other that the terminal supports.
    case applicationBlocked
    /// The card has no application that the terminal supports.
    case noApplication
    /// A status word with which the transaction cannot go on.
    case status(CardCommand, StatusWord)
    /// An answer that is not built as EMV lays down.
    case malformedAnswer(CardCommand)
    /// A data object of the card is wrong.
    case data(DataObjectError)
    /// The application file locator names no readable records, or none at all.
    case fileLocator(AFLError)
    /// A data object list of the card cannot be served.
    case dataObjectList(BERTag, DataObjectListError)
    /// PAN (5A) and track 2 (57) name different accounts.
    case accountMismatch
    /// The card answered with a cryptogram higher than the one asked for.
    case cryptogramNotAsked(requested: CryptogramType, received: CryptogramType?)
    /// The payment itself makes no sense.
    case request(TransactionRequestError)
    /// A cryptographic operation failed in this program.
    case cryptography

    public var description: String {
        switch self {
        case .channel(.cardRemoved): "the card was removed: insert it again and leave it in until the payment is done"
        case .channel(.cardMute): "the card does not answer: clean its chip and insert it again"
        case .channel(.timedOut): "the card did not answer in time: insert it again"
        case .channel(.readerUnavailable(let reason)): "the card reader is not available: \(reason)"
        case .channel(.protocolViolation(let reason)): "the card or the reader broke the protocol: \(reason)"
        case .channel(.notSupported(let reason)): "the card reader cannot carry a command: \(reason)"
        case .channel(.cancelled): "the exchange with the card was cancelled"
        case .cardBlocked: "the issuer blocked this card: use another one"
        case .applicationBlocked: "the issuer blocked the card's application: use another card"
        case .noApplication: "the card has no application that this terminal supports: use another card"
        case .status(let command, let status): "the card refused \(command) with \(status): use another card"
        case .malformedAnswer(let command): "the card's answer to \(command) is malformed: use another card"
        case .data(let error): "\(error): use another card"
        case .fileLocator(let error): "\(error): use another card"
        case .dataObjectList(let tag, let error): "\(tag): \(error): use another card"
        case .accountMismatch: "the card's account number and its track 2 differ: use another card"
        case .cryptogramNotAsked: "the card approved more than it was asked for: use another card"
        case .request(let error): error.description
        case .cryptography: "a cryptographic operation failed: check the installation of OpenSSL 3"
        }
    }
}

/// Why a request cannot be run.
public enum TransactionRequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Cashback in another currency, or more of it than the whole amount.
    case cashback
    /// A transaction sequence counter outside 1...99,999,999.
    case sequenceCounter
    /// A date that is not in the calendar of the years 2000 to 2049.
    case date

    public var description: String {
        switch self {
        case .cashback: "the cashback must be in the payment's currency and part of its amount"
        case .sequenceCounter: "the transaction sequence counter must be 1 to 99999999"
        case .date: "the terminal's date is not valid: set the clock"
        }
    }
}
