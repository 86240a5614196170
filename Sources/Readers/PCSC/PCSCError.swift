public import SmartCard

/// An error of pcscd, of a reader behind it, or of the card in it.
public enum PCSCError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libpcsclite cannot be opened; the text is the loader's.
    case libraryMissing(String)
    /// A function failed with this code.
    case failed(PCSCCall, PCSCErrorCode)
    /// A function did not return in time. Its context refuses further calls.
    case timedOut(PCSCCall)
    /// The context was released, or an earlier call did not return.
    case closed
    /// The task was canceled.
    case canceled
    /// A function returned an impossible result; the text says which.
    case malformedAnswer(PCSCCall, String)
    /// Another program blocks the card. The value has the programs that use PC/SC, as far as this user can see them.
    case heldByAnother([PCSCClient])
    /// No reader has this name; `known` has pcscd's readers.
    case noSuchReader(String, known: [String])
    /// No card in the reader.
    case cardAbsent
    /// The card supports neither T=0 nor T=1.
    case noCommonProtocol
    /// The answer to reset breaks the rules of payment cards, after a warm reset too.
    case answerToReset(EMVATRRules.Reason)
    /// A T=0 exchange failed.
    case t0(T0Error)
    /// The card's answer is not an APDU.
    case response(APDUError)

    /// The failure, and after the last colon its fix where there is one.
    public var description: String {
        switch self {
        case .libraryMissing(let reason):
            "libpcsclite cannot be used (\(reason)): sudo apt-get install libpcsclite1 pcscd"
        case .failed(let call, let code): Self.describe(call, code)
        case .timedOut(let call): "pcscd did not answer \(call) in time: see 'systemctl status pcscd'"
        case .closed: "the connection to pcscd was closed"
        case .canceled: "the exchange with pcscd was canceled"
        case .malformedAnswer(let call, let what): "\(call) returned \(what)"
        case .heldByAnother(let clients): Self.describe(clients)
        case .noSuchReader(let name, let known):
            known.isEmpty
                ? "pcscd has no reader '\(name)': plug it in"
                : "pcscd has no reader '\(name)': it has \(known.map { "'\($0)'" }.joined(separator: ", "))"
        case .cardAbsent: "no card in the reader"
        case .noCommonProtocol: "card and reader have no transmission protocol in common"
        case .answerToReset(let reason): "the card cannot be used here (\(reason))"
        case .t0(let error): error.description
        case .response(let error): error.description
        }
    }

    private static func describe(_ call: PCSCCall, _ code: PCSCErrorCode) -> String {
        switch code {
        case .noService: "pcscd is not running (\(code)): sudo systemctl start pcscd"
        case .serviceStopped, .communicationError:
            "the connection to pcscd broke (\(code)): sudo systemctl restart pcscd"
        case .securityViolation:
            "pcscd refuses this user (\(code)): allow org.debian.pcsc-lite.access_pcsc and access_card in a polkit rule"
        case .noMemory, .serverTooBusy: "pcscd serves too many programs (\(code)): close some of them"
        case .sharingViolation: "another program uses the card (\(code)): close it"
        case .noReadersAvailable: "pcscd has no reader (\(code)): plug one in"
        case .unknownReader, .readerUnavailable: "the reader is gone (\(code)): plug it in again"
        case .noSmartCard, .removedCard: "the card was pulled out (\(code)): insert it again"
        case .resetCard: "another program reset the card (\(code)): insert it again"
        case .unresponsiveCard: "the card does not answer (\(code)): insert it again, chip first"
        case .unpoweredCard: "the card has no power (\(code)): insert it again"
        case .unsupportedCard, .protocolMismatch: "card and reader have no protocol in common (\(code))"
        case .notTransacted, .communicationDataLost:
            "the exchange with the card failed (\(code)): insert it again"
        default: "\(call) failed (\(code))"
        }
    }

    private static func describe(_ clients: [PCSCClient]) -> String {
        guard let first = clients.first else { return "another program uses the card: close it" }
        let names = clients.map(\.description).joined(separator: " or ")
        return "another program uses the card, perhaps \(names): \(first.remedy)"
    }
}

/// The error code of a PC/SC function (PC/SC part 5; the values are those of pcsclite.h).
public struct PCSCErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    /// Takes the number that the function returned; an unknown one is kept.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let internalError = PCSCErrorCode(rawValue: 0x8010_0001)
    public static let canceled = PCSCErrorCode(rawValue: 0x8010_0002)
    public static let invalidHandle = PCSCErrorCode(rawValue: 0x8010_0003)
    public static let invalidParameter = PCSCErrorCode(rawValue: 0x8010_0004)
    public static let noMemory = PCSCErrorCode(rawValue: 0x8010_0006)
    public static let insufficientBuffer = PCSCErrorCode(rawValue: 0x8010_0008)
    public static let unknownReader = PCSCErrorCode(rawValue: 0x8010_0009)
    public static let timeout = PCSCErrorCode(rawValue: 0x8010_000A)
    public static let sharingViolation = PCSCErrorCode(rawValue: 0x8010_000B)
    public static let noSmartCard = PCSCErrorCode(rawValue: 0x8010_000C)
    public static let protocolMismatch = PCSCErrorCode(rawValue: 0x8010_000F)
    public static let notReady = PCSCErrorCode(rawValue: 0x8010_0010)
    public static let invalidValue = PCSCErrorCode(rawValue: 0x8010_0011)
    public static let communicationError = PCSCErrorCode(rawValue: 0x8010_0013)
    public static let notTransacted = PCSCErrorCode(rawValue: 0x8010_0016)
    public static let readerUnavailable = PCSCErrorCode(rawValue: 0x8010_0017)
    public static let noService = PCSCErrorCode(rawValue: 0x8010_001D)
    public static let serviceStopped = PCSCErrorCode(rawValue: 0x8010_001E)
    public static let unsupportedFeature = PCSCErrorCode(rawValue: 0x8010_001F)
    public static let noReadersAvailable = PCSCErrorCode(rawValue: 0x8010_002E)
    public static let communicationDataLost = PCSCErrorCode(rawValue: 0x8010_002F)
    public static let serverTooBusy = PCSCErrorCode(rawValue: 0x8010_0031)
    public static let unsupportedCard = PCSCErrorCode(rawValue: 0x8010_0065)
    public static let unresponsiveCard = PCSCErrorCode(rawValue: 0x8010_0066)
    public static let unpoweredCard = PCSCErrorCode(rawValue: 0x8010_0067)
    public static let resetCard = PCSCErrorCode(rawValue: 0x8010_0068)
    public static let removedCard = PCSCErrorCode(rawValue: 0x8010_0069)
    public static let securityViolation = PCSCErrorCode(rawValue: 0x8010_006A)

    private static let names: [PCSCErrorCode: String] = [
        .internalError: "SCARD_F_INTERNAL_ERROR", .canceled: "SCARD_E_CANCELLED",
        .invalidHandle: "SCARD_E_INVALID_HANDLE", .invalidParameter: "SCARD_E_INVALID_PARAMETER",
        .noMemory: "SCARD_E_NO_MEMORY", .insufficientBuffer: "SCARD_E_INSUFFICIENT_BUFFER",
        .unknownReader: "SCARD_E_UNKNOWN_READER", .timeout: "SCARD_E_TIMEOUT",
        .sharingViolation: "SCARD_E_SHARING_VIOLATION", .noSmartCard: "SCARD_E_NO_SMARTCARD",
        .protocolMismatch: "SCARD_E_PROTO_MISMATCH", .notReady: "SCARD_E_NOT_READY",
        .invalidValue: "SCARD_E_INVALID_VALUE", .communicationError: "SCARD_F_COMM_ERROR",
        .notTransacted: "SCARD_E_NOT_TRANSACTED", .readerUnavailable: "SCARD_E_READER_UNAVAILABLE",
        .noService: "SCARD_E_NO_SERVICE", .serviceStopped: "SCARD_E_SERVICE_STOPPED",
        .unsupportedFeature: "SCARD_E_UNSUPPORTED_FEATURE", .noReadersAvailable: "SCARD_E_NO_READERS_AVAILABLE",
        .communicationDataLost: "SCARD_E_COMM_DATA_LOST", .serverTooBusy: "SCARD_E_SERVER_TOO_BUSY",
        .unsupportedCard: "SCARD_W_UNSUPPORTED_CARD", .unresponsiveCard: "SCARD_W_UNRESPONSIVE_CARD",
        .unpoweredCard: "SCARD_W_UNPOWERED_CARD", .resetCard: "SCARD_W_RESET_CARD",
        .removedCard: "SCARD_W_REMOVED_CARD", .securityViolation: "SCARD_W_SECURITY_VIOLATION",
    ]

    /// The name of the code, for example `SCARD_E_NO_SERVICE`; hexadecimal digits for a code without a name.
    public var description: String { Self.names[self] ?? "0x" + String(rawValue, radix: 16, uppercase: true) }
}

/// A PC/SC function.
public enum PCSCCall: String, Hashable, Sendable, CustomStringConvertible {
    case establishContext = "SCardEstablishContext"
    case releaseContext = "SCardReleaseContext"
    case listReaders = "SCardListReaders"
    case getStatusChange = "SCardGetStatusChange"
    case connect = "SCardConnect"
    case reconnect = "SCardReconnect"
    case disconnect = "SCardDisconnect"
    case beginTransaction = "SCardBeginTransaction"
    case endTransaction = "SCardEndTransaction"
    case status = "SCardStatus"
    case transmit = "SCardTransmit"
    case control = "SCardControl"
    case getAttribute = "SCardGetAttrib"

    public var description: String { rawValue }
}
