/// What a PC/SC function returns when it fails (PC/SC part 5; the values are those of pcsclite.h).
public struct PCSCErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let internalError = PCSCErrorCode(rawValue: 0x8010_0001)
    public static let cancelled = PCSCErrorCode(rawValue: 0x8010_0002)
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
        .internalError: "SCARD_F_INTERNAL_ERROR", .cancelled: "SCARD_E_CANCELLED",
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

    /// The name of the code, `SCARD_E_NO_SERVICE`; a code without one in hexadecimal digits.
    public var description: String { Self.names[self] ?? "0x" + String(rawValue, radix: 16, uppercase: true) }
}
