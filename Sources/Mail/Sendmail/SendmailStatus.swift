/// How a mail program ended (sysexits.h, which it comes from).
public struct SendmailStatus: Hashable, Sendable, CustomStringConvertible {
    public let code: Int32

    public init(code: Int32) { self.code = code }

    /// Whether the program says that it has not taken the message.
    ///
    /// EX_TEMPFAIL does not: sendmail(8) ends with it when it has put the message into its queue and could not send it
    /// at once. EX_NOUSER and EX_NOHOST are about one of the recipients, and the others may get it. What broke inside
    /// the program or the system may have broken late.
    public var saysNothingWasTaken: Bool {
        switch self {
        case .usage, .dataError, .noInput, .unavailable, .cannotCreate, .noPermission, .configuration, .notFound: true
        default: false
        }
    }

    public static let usage = SendmailStatus(code: 64)
    public static let dataError = SendmailStatus(code: 65)
    public static let noInput = SendmailStatus(code: 66)
    public static let noUser = SendmailStatus(code: 67)
    public static let noHost = SendmailStatus(code: 68)
    public static let unavailable = SendmailStatus(code: 69)
    public static let software = SendmailStatus(code: 70)
    public static let systemError = SendmailStatus(code: 71)
    public static let systemFile = SendmailStatus(code: 72)
    public static let cannotCreate = SendmailStatus(code: 73)
    public static let inputOutput = SendmailStatus(code: 74)
    public static let temporaryFailure = SendmailStatus(code: 75)
    public static let protocolError = SendmailStatus(code: 76)
    public static let noPermission = SendmailStatus(code: 77)
    public static let configuration = SendmailStatus(code: 78)
    /// What a shell ends with when it finds no program.
    public static let notFound = SendmailStatus(code: 127)

    public var description: String {
        switch self {
        case .usage: "it does not know the options -t and -i"
        case .dataError: "it finds a mistake in the message"
        case .noInput: "it could not read the message"
        case .noUser: "it does not know a recipient"
        case .noHost: "it does not know the host of a recipient"
        case .unavailable: "something that it needs is not there"
        case .software: "it has found a mistake of its own"
        case .systemError: "the system failed it"
        case .systemFile: "a file of the system is not as it needs it"
        case .cannotCreate: "it cannot make a file"
        case .inputOutput: "it could not read or write"
        case .temporaryFailure: "it could not send the message now, and may keep it in its queue"
        case .protocolError: "the mail server did not speak as it should"
        case .noPermission: "it is not allowed to send"
        case .configuration: "it is not configured"
        case .notFound: "a program is not found"
        default: "it ended with status \(code)"
        }
    }
}
