internal import ArgumentParser

/// Why a command ends without its result: an exit code, a word for programs, and for people what
/// happened and what to do about it.
struct CommandFailure: Error, Sendable {
    var status: ExitStatus
    /// A stable word for programs, for example `unknown_card_profile`.
    var code: String
    var message: String
    /// What to do about it; nil where nothing helps.
    var fix: String?

    init(_ status: ExitStatus, code: String, message: String, fix: String? = nil) {
        (self.status, self.code, self.message, self.fix) = (status, code, message, fix)
    }

    static let cancelledBeforeItBegan = CommandFailure(
        .cancelled, code: "cancelled", message: "cancelled before the payment began: nothing was charged")

    /// The same failure where the host may have moved money before it came.
    var withUnknownOutcome: CommandFailure {
        CommandFailure(
            .outcomeUnknown, code: code, message: message,
            fix: (fix.map { $0 + "; " } ?? "")
                + "do not charge again: the next 'cardpresent' command takes back what was sent")
    }

    /// Tells a person.
    func report() {
        StandardError.write("cardpresent: \(message)\n")
        if let fix { StandardError.write("  \(fix)\n") }
    }
}
