public import SmartCard

/// The phases of a transaction, in the order of EMV Book 3 §8.2.
public enum KernelState: Hashable, Sendable {
    /// Finding and selecting an application.
    case selectingApplication
    /// The cardholder chooses or confirms an application.
    case choosingApplication
    /// GET PROCESSING OPTIONS for the application with this AID. The languages are those that the card prefers (5F2D),
    /// by ISO 639-1 code, the first one most; empty if the card states none (EMV Book 4 §11.1).
    case initiatingApplication(aid: [UInt8], languages: [String] = [])
    case readingApplicationData
    case offlineDataAuthentication
    case processingRestrictions
    case cardholderVerification
    /// The cardholder enters the PIN.
    case enteringPIN(PINPrompt)
    case terminalRiskManagement
    /// Terminal action analysis chose this cryptogram type.
    case terminalActionAnalysis(CryptogramType)
    /// First GENERATE AC.
    case cardActionAnalysis
    /// Online processing.
    case online
    case issuerAuthentication
    /// Issuer scripts, before or after the second GENERATE AC.
    case issuerScripts(beforeFinalCryptogram: Bool)
    /// Second GENERATE AC, asking for this cryptogram.
    case completion(CryptogramType)
    case ended(TransactionDecision)
}

/// Why a phase ends the transaction.
enum KernelStop: Error {
    case failed(KernelError)
    case canceled(CancellationOrigin)
    /// The card refused the selected application for this transaction (6985 to GET PROCESSING OPTIONS).
    case applicationRefused

    init(_ error: CardChannelError) { self = error == .canceled ? .canceled(.caller) : .failed(.channel(error)) }

    /// Canceled at the terminal: by the caller if the task is canceled, otherwise by the cardholder.
    static var stoppedAtTerminal: KernelStop { .canceled(Task.isCancelled ? .caller : .cardholder) }

    /// The decision for a transaction that stopped for this reason.
    var decision: TransactionDecision {
        switch self {
        case .failed(.noApplication): .tryAnotherInterface(.noApplication)
        case .failed(let error): .terminated(error)
        case .canceled(let origin): .canceled(origin)
        case .applicationRefused: .terminated(.status(.getProcessingOptions, .conditionsNotSatisfied))
        }
    }
}

/// Why the kernel ended a transaction. Contains tags, lengths, and status words, never card data.
public enum KernelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The card did not respond.
    case channel(CardChannelError)
    /// The issuer blocked the card (6A81 to the first SELECT).
    case cardBlocked
    /// The issuer blocked the application, and the terminal supports no other one on the card.
    case applicationBlocked
    /// The card has no application that the terminal supports.
    case noApplication
    /// A status word that ends the transaction.
    case status(CardCommand, StatusWord)
    /// A response that does not have the EMV format.
    case malformedAnswer(CardCommand)
    /// A data object from the card is not valid.
    case data(DataObjectError)
    /// The application file locator is not valid.
    case fileLocator(AFLError)
    /// A data object list from the card is not valid.
    case dataObjectList(BERTag, DataObjectListError)
    /// PAN (5A) and track 2 (57) contain different account numbers.
    case accountMismatch
    /// The card returned a higher cryptogram type than requested.
    case cryptogramNotAsked(requested: CryptogramType, received: CryptogramType?)
    /// The transaction request is not valid.
    case request(TransactionRequestError)
    /// A cryptographic operation of the terminal failed.
    case cryptography

    public var description: String {
        switch self {
        case .channel(.cardRemoved): "the card was removed: insert it again and leave it in until the payment is done"
        case .channel(.cardMute): "the card does not answer: clean its chip and insert it again"
        case .channel(.timedOut): "the card did not answer in time: insert it again"
        case .channel(.readerUnavailable(let reason)): "the card reader is not available: \(reason)"
        case .channel(.protocolViolation(let reason)): "the card or the reader broke the protocol: \(reason)"
        case .channel(.notSupported(let reason)): "the card reader cannot carry a command: \(reason)"
        case .channel(.canceled): "the exchange with the card was canceled"
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

/// Why a transaction request is not valid.
public enum TransactionRequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cashback has another currency or exceeds the amount.
    case cashback
    /// A transaction sequence counter outside 1...99,999,999.
    case sequenceCounter
    /// Not a calendar date from 2000 to 2049.
    case date

    public var description: String {
        switch self {
        case .cashback: "the cashback must be in the payment's currency and part of its amount"
        case .sequenceCounter: "the transaction sequence counter must be 1 to 99999999"
        case .date: "the terminal's date is not valid: set the clock"
        }
    }
}
