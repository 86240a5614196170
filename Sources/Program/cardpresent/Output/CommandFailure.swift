import ArgumentParser
import CardSecrets

/// The failure of a command: an exit code, a code for programs, and for users a message and the fix, in which digits
/// that may be a card number are masked.
struct CommandFailure: Error, Sendable {
    var status: ExitStatus
    /// A stable code for programs, for example `unknown_card_profile`.
    var code: String
    var message: String
    /// How to fix the problem; nil when there is no fix.
    var fix: String?

    init(_ status: ExitStatus, code: String, message: String, fix: String? = nil) {
        (self.status, self.code) = (status, code)
        (self.message, self.fix) = (
            CardNumberMask.masked(message), fix.map { CardNumberMask.masked($0, besides: message) }
        )
    }

    /// Creates a failure from an error text that ends with the fix; see `String.splitAtFix`.
    init(_ status: ExitStatus, code: String, splitting text: String) {
        let (message, fix) = text.splitAtFix
        self.init(status, code: code, message: message, fix: fix)
    }

    /// The code of a missing database.
    static let missingDatabase = "database_missing"

    static let canceledBeforeItBegan = CommandFailure(
        .canceled, code: "cancelled", message: "canceled before the payment started: nothing was charged")

    /// The same failure after the host may have charged the card.
    var withUnknownOutcome: CommandFailure {
        CommandFailure(
            .outcomeUnknown, code: code, message: message,
            fix: (fix.map { $0 + "; " } ?? "")
                + "do not charge again; the next 'cardpresent' command reverses the payment")
    }

    /// Writes the message and fix to stderr.
    func report() {
        StandardError.complain(message)
        if let fix { StandardError.write("  \(fix)\n") }
    }
}

/// The exit codes of `cardpresent`. Codes from 64 are those of `sysexits.h`.
enum ExitStatus: Int32, Sendable {
    case ok = 0
    case internalError = 1
    case declined = 2
    case canceled = 3
    /// The card may have been charged, or a receipt may have been printed.
    case outcomeUnknown = 4
    case reader = 5
    case printer = 6
    /// A comparison found differences.
    case differs = 7
    case usage = 64
    case badData = 65
    /// A database that the command only reads does not exist.
    case noInput = 66
    case unavailable = 69
    case tryAgain = 75
    case configuration = 78
}

extension CommandFailure {
    /// The failure as JSON.
    var json: JSONObject { JSONObject(["code": code, "message": message], known: ["fix": fix]) }
}

/// Reports a failure: as text on stderr and, with `--json`, as JSON on stdout.
struct FailureReport: Sendable {
    var isJSON: Bool
    /// Whether the JSON always contains an outcome, as for `pay` and `refund`.
    var hasOutcome: Bool

    /// Whether the JSON is a line, as all of a stream are.
    var isStream = false

    init(isJSON: Bool = false, hasOutcome: Bool = false, isStream: Bool = false) {
        (self.isJSON, self.hasOutcome, self.isStream) = (isJSON, hasOutcome, isStream)
    }

    /// Creates a report for arguments that could not be parsed.
    init(arguments: some Collection<String>) {
        isJSON = arguments.contains { $0 == "--json" || $0.hasPrefix("--json=") }
        hasOutcome = arguments.first == "pay" || arguments.first == "refund"
    }

    /// Runs work and reports its failure.
    ///
    /// - Throws: The exit code of a failure.
    func reporting(_ work: () async throws -> Void) async throws {
        do { try await work() } catch let failure as CommandFailure { throw tell(failure) }
    }

    /// Runs synchronous work in the same way.
    ///
    /// - Throws: The exit code of a failure.
    func reporting(_ work: () throws -> Void) throws {
        do { try work() } catch let failure as CommandFailure { throw tell(failure) }
    }

    /// - Returns: The exit code of the failure.
    @discardableResult
    func tell(_ failure: CommandFailure) -> ExitCode {
        failure.report()
        tellPrograms(failure)
        return ExitCode(failure.status.rawValue)
    }

    func tellPrograms(_ failure: CommandFailure) {
        guard isJSON else { return }
        if isStream {
            StandardOutput.write(event: ["error": failure.json])
            return
        }
        do throws(CommandFailure) {
            try StandardOutput.write(
                json: hasOutcome ? OutcomeView(failure: failure).json : ["error": failure.json])
        } catch {
            error.report()
        }
    }
}
