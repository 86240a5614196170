public import Determinism
import Files

/// Passes messages to the machine's mail program. Postfix, Exim, msmtp and others provide a `sendmail` that reads a
/// message and its recipients from standard input and delivers it later.
public struct Sendmail: Sendable {
    /// The usual path of the program (Filesystem Hierarchy Standard).
    public static let standardPath = "/usr/sbin/sendmail"

    private let path: String
    private let environment: [String: String]
    private let timeout: Duration
    private let time: any TimeSource

    /// - Parameters:
    ///   - path: the program.
    ///   - environment: the environment in which the program finds its configuration.
    ///   - timeout: the longest run. The program is killed after it.
    ///   - time: the clock that measures the timeout.
    public init(
        path: String = Sendmail.standardPath, environment: [String: String], timeout: Duration = .seconds(30),
        time: any TimeSource
    ) {
        (self.path, self.environment, self.timeout, self.time) = (path, environment, timeout, time)
    }

    /// Passes a message on, once. When this returns, the mail program has accepted all of it.
    ///
    /// The program reads the message from a file that is complete before the program starts, so it never accepts a
    /// part.
    ///
    /// - Throws: ``SendmailError``
    public func handOver(_ message: EncodedMail) async throws(SendmailError) {
        let result: ChildProcess.Result
        do throws(ChildProcess.Failure) {
            // `-t` takes the recipients from the message; with `-i` a line with only a dot does not end the message.
            result = try await ChildProcess.run(
                path, ["-t", "-i"], environment: environment, input: message.systemBytes, limit: timeout, time: time)
        } catch {
            switch error {
            case .notStarted(let error): throw .notStarted(reason: error.description)
            case .timedOut: throw .noAnswer
            }
        }
        if let failure = SendmailError(result) { throw failure }
    }
}

/// The reason why the mail program did not accept a message, or may not have accepted it.
public enum SendmailError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The program could not be started; the reason is the system's.
    case notStarted(reason: String)
    /// The message was refused. `saying` is the program's last line.
    case refused(SendmailStatus, saying: String)
    /// The message may have been accepted, for some recipients or for all.
    case uncertain(SendmailStatus, saying: String)
    /// A signal ended the program: it may have accepted the message before.
    case killed(signal: Int32)
    /// The program did not end in time and was killed: it may have accepted the message before.
    case noAnswer

    /// Whether the message may have been sent nevertheless. Sending it again may send it twice.
    public var mayHaveBeenTaken: Bool {
        switch self {
        case .notStarted, .refused: false
        case .uncertain, .killed, .noAnswer: true
        }
    }

    public var description: String {
        switch self {
        case .notStarted(let reason): "cannot start it: \(reason)"
        case .refused(let status, let saying), .uncertain(let status, let saying):
            "\(status)" + (saying.isEmpty ? "" : ": \(saying)")
        case .killed(let signal): "it was ended by signal \(signal)"
        case .noAnswer: "it did not end in time and was stopped"
        }
    }

    /// Nil when the program has accepted the message.
    init?(_ result: ChildProcess.Result) {
        guard let exitStatus = result.exitStatus else {
            self = .killed(signal: result.signal ?? 0)
            return
        }
        guard exitStatus != 0 else { return nil }
        let (status, line) = (SendmailStatus(code: exitStatus), Self.withoutAddresses(result.lastLine))
        self = status.saysNothingWasTaken ? .refused(status, saying: line) : .uncertain(status, saying: line)
    }

    /// Returns at most 300 characters of a line. Addresses are replaced, so that errors and logs contain none.
    private static func withoutAddresses(_ line: String) -> String {
        let words = String(String.UnicodeScalarView(line.unicodeScalars.prefix(300))).split(separator: " ")
        return words.map { $0.contains("@") ? "(address)" : String($0) }.joined(separator: " ")
    }
}

/// The exit status of a mail program (sysexits.h).
public struct SendmailStatus: Hashable, Sendable, CustomStringConvertible {
    public let code: Int32

    /// Takes the number with which the program exited.
    public init(code: Int32) { self.code = code }

    /// Whether the status means that the program did not accept the message.
    ///
    /// EX_TEMPFAIL does not: sendmail(8) returns it after queuing a message that could not be sent at once. EX_NOUSER
    /// and EX_NOHOST concern one recipient; the others may get the message. Internal and system errors may have
    /// occurred after the message was accepted.
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
    /// The exit status of a shell that does not find a program.
    public static let notFound = SendmailStatus(code: 127)

    public var description: String {
        switch self {
        case .usage: "it does not support the options -t and -i"
        case .dataError: "it found an error in the message"
        case .noInput: "it could not read the message"
        case .noUser: "it does not know a recipient"
        case .noHost: "it does not know the host of a recipient"
        case .unavailable: "a service or program that it needs is unavailable"
        case .software: "it had an internal error"
        case .systemError: "a system call failed"
        case .systemFile: "a system file is missing or wrong"
        case .cannotCreate: "it cannot create a file"
        case .inputOutput: "it could not read or write"
        case .temporaryFailure: "it could not send the message now, and may keep it in its queue"
        case .protocolError: "the mail server violated the protocol"
        case .noPermission: "it is not allowed to send"
        case .configuration: "it is not configured"
        case .notFound: "a program was not found"
        default: "it ended with status \(code)"
        }
    }
}
