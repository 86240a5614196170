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

    /// Tells a person.
    func report() {
        StandardError.write("cardpresent: \(message)\n")
        if let fix { StandardError.write("  \(fix)\n") }
    }
}
