import Text

/// The control field of a ZVT message: class and instruction of a command, or the kind of an answer.
///
/// The names of the constants are those of the till's and the terminal's commands; "till" is the ECR of the ZVT
/// documents, and "terminal" the PT.
public struct ZVTControl: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The two bytes, the first one high: 0x0601.
    public let rawValue: UInt16

    /// Takes any two bytes.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Takes the two bytes of a control field.
    init(_ first: UInt8, _ second: UInt8) { rawValue = UInt16(first) << 8 | UInt16(second) }

    /// The two bytes.
    var bytes: [UInt8] { [UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)] }

    // From the till.
    public static let statusEnquiry = ZVTControl(rawValue: 0x0501)
    public static let registration = ZVTControl(rawValue: 0x0600)
    public static let authorization = ZVTControl(rawValue: 0x0601)
    public static let logOff = ZVTControl(rawValue: 0x0602)
    public static let sendTotals = ZVTControl(rawValue: 0x0610)
    public static let repeatReceipt = ZVTControl(rawValue: 0x0620)
    public static let preauthorization = ZVTControl(rawValue: 0x0622)
    /// Completes a pre-authorization: the amount is the part that is given back.
    public static let partialReversal = ZVTControl(rawValue: 0x0623)
    /// Completes a pre-authorization: the amount is the part that is charged.
    public static let bookTotal = ZVTControl(rawValue: 0x0624)
    public static let preauthorizationReversal = ZVTControl(rawValue: 0x0625)
    public static let reversal = ZVTControl(rawValue: 0x0630)
    public static let refund = ZVTControl(rawValue: 0x0631)
    public static let endOfDay = ZVTControl(rawValue: 0x0650)
    public static let diagnosis = ZVTControl(rawValue: 0x0670)
    public static let initialization = ZVTControl(rawValue: 0x0693)
    /// The till's abort of a running command.
    public static let abortCommand = ZVTControl(rawValue: 0x06B0)
    public static let language = ZVTControl(rawValue: 0x0830)

    // From the terminal.
    public static let setTillClock = ZVTControl(rawValue: 0x0401)
    public static let statusInformation = ZVTControl(rawValue: 0x040F)
    public static let intermediateStatus = ZVTControl(rawValue: 0x04FF)
    public static let completion = ZVTControl(rawValue: 0x060F)
    /// The terminal's end of a command that failed.
    public static let abort = ZVTControl(rawValue: 0x061E)
    public static let printLine = ZVTControl(rawValue: 0x06D1)
    public static let printTextBlock = ZVTControl(rawValue: 0x06D3)

    // Answers.
    public static let positive = ZVTControl(rawValue: 0x8000)
    /// Positive, too.
    public static let positiveWithoutError = ZVTControl(rawValue: 0x8400)
    /// The command is not known, or not possible now.
    public static let notPossible = ZVTControl(rawValue: 0x8483)
    /// "Please wait": ask again.
    public static let pleaseWait = ZVTControl(rawValue: 0x849C)

    /// Returns the negative answer with a result code (84 xx).
    public static func negative(_ result: ZVTResult) -> ZVTControl { ZVTControl(0x84, result.rawValue) }

    /// Whether this is an answer (80 xx, 84 xx), and not a command.
    public var isAnswer: Bool { rawValue >> 8 == 0x80 || rawValue >> 8 == 0x84 }

    /// Whether this is an answer that takes what was sent.
    public var isPositive: Bool { self == .positive || self == .positiveWithoutError }

    /// Whether the terminal sends it, and card data must be masked in it.
    public var isFromTerminal: Bool {
        [
            .setTillClock, .statusInformation, .intermediateStatus, .completion, .abort, .printLine, .printTextBlock,
        ].contains(self)
    }

    /// The name; nil for a control field that this codec does not read.
    public var name: String? {
        if self == .positive || self == .positiveWithoutError { return "positive answer" }
        if rawValue >> 8 == 0x84 {
            return rawValue == 0x841E ? "negative answer" : "negative answer: \(ZVTResult(rawValue: bytes[1]))"
        }
        return Self.names[self]
    }

    private static let names: [ZVTControl: String] = [
        .statusEnquiry: "status enquiry", .registration: "registration", .authorization: "authorization",
        .logOff: "log-off", .sendTotals: "send totals", .repeatReceipt: "repeat receipt",
        .preauthorization: "pre-authorization", .partialReversal: "partial reversal of a pre-authorization",
        .bookTotal: "booking of a pre-authorization", .preauthorizationReversal: "reversal of a pre-authorization",
        .reversal: "reversal", .refund: "refund", .endOfDay: "end of day", .diagnosis: "diagnosis",
        .initialization: "initialization", .abortCommand: "abort command", .language: "language",
        .setTillClock: "date and time for the till", .statusInformation: "status information",
        .intermediateStatus: "intermediate status", .completion: "completion", .abort: "abort",
        .printLine: "print line", .printTextBlock: "print text block",
    ]

    /// For example `06 01 authorization`.
    public var description: String {
        let digits = bytes.map { [$0].hexadecimal }.joined(separator: " ")
        return name.map { "\(digits) \($0)" } ?? digits
    }
}

/// A result code: BMP 27, 06 1E, and 84 xx. The codes 01 to 63 are the host's, as a binary number.
public struct ZVTResult: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt8

    /// Takes any byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Makes the code of a response code of the issuer (DE 39): 51 is 0x33. Nil for one that is no number of 1...99.
    public init?(responseCode: String) {
        guard responseCode.utf8.count == 2, responseCode.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt8(responseCode), number > 0
        else { return nil }
        rawValue = number
    }

    public static let approved = ZVTResult(rawValue: 0x00)
    /// "Do not honor", the host's 05.
    public static let declined = ZVTResult(rawValue: 0x05)
    public static let cardUnreadable = ZVTResult(rawValue: 0x64)
    public static let cardDataMissing = ZVTResult(rawValue: 0x65)
    public static let processingError = ZVTResult(rawValue: 0x66)
    /// By a key, a time-out, or the till.
    public static let aborted = ZVTResult(rawValue: 0x6C)
    public static let wrongCurrency = ZVTResult(rawValue: 0x6F)
    public static let chipError = ZVTResult(rawValue: 0x72)
    public static let endOfDayNotPossible = ZVTResult(rawValue: 0x77)
    public static let cardExpired = ZVTResult(rawValue: 0x78)
    public static let unknownCard = ZVTResult(rawValue: 0x7A)
    public static let notPossible = ZVTResult(rawValue: 0x83)
    public static let protocolError = ZVTResult(rawValue: 0x9A)
    public static let pleaseWait = ZVTResult(rawValue: 0x9C)
    public static let noAnswerFromHost = ZVTResult(rawValue: 0xA3)
    public static let alreadyReversed = ZVTResult(rawValue: 0xB4)
    public static let notReversible = ZVTResult(rawValue: 0xB5)
    public static let preauthorizationError = ZVTResult(rawValue: 0xB8)
    public static let amountTooLarge = ZVTResult(rawValue: 0xC3)
    public static let printerNotReady = ZVTResult(rawValue: 0xCC)
    public static let readerDefective = ZVTResult(rawValue: 0xE2)
    public static let systemError = ZVTResult(rawValue: 0xFF)

    private static let names: [ZVTResult: String] = [
        .approved: "approved", .cardUnreadable: "card not readable", .cardDataMissing: "no card data",
        .processingError: "processing error", .aborted: "aborted", .wrongCurrency: "wrong currency",
        .chipError: "chip error", .endOfDayNotPossible: "end of day not possible", .cardExpired: "card expired",
        .unknownCard: "unknown card", .notPossible: "not possible", .protocolError: "protocol error",
        .pleaseWait: "please wait", .noAnswerFromHost: "no answer from the host",
        .alreadyReversed: "already reversed", .notReversible: "can't be reversed",
        .preauthorizationError: "error of a pre-authorization", .amountTooLarge: "amount too high",
        .printerNotReady: "printer not ready", .readerDefective: "reader defective", .systemError: "system error",
    ]

    /// For example `not possible`, `host's code 51`, or `code D2`.
    public var description: String {
        if let name = Self.names[self] { return name }
        return rawValue <= 0x63 ? "host's code \(rawValue.zeroPadded(to: 2))" : "code \(rawValue.hexadecimal)"
    }
}
