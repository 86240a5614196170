/// A question to the user, with the answer that an empty line gives.
struct Question<Answer> {
    /// The question, without its default: `Currency`.
    let text: String
    /// Hints about the possible answers, one line each.
    var hints: [String] = []
    /// The default, as it would be typed.
    let standard: String
    /// Checks an answer.
    let read: (String) throws(InvalidAnswer) -> Answer
}

/// Why an answer is not accepted.
struct InvalidAnswer: Error {
    let reason: String
    /// How to answer instead; nil when the reason says so.
    var fix: String?

    /// The reason and the fix in one line.
    var text: String { reason + (fix.map { ": " + $0 } ?? "") }
}

/// Asks questions one after the other, each until its answer is valid.
struct Interview {
    /// Returns the next line that was typed.
    let line: () throws(CommandFailure) -> String
    /// Shows a text.
    let show: (String) -> Void

    /// - Throws: `CommandFailure` when there are no more lines.
    func ask<Answer>(_ question: Question<Answer>) throws(CommandFailure) -> Answer {
        for hint in question.hints { show("  \(hint)\n") }
        while true {
            show("\(question.text) [\(question.standard)]: ")
            let typed = try line().trimmed
            do throws(InvalidAnswer) {
                return try question.read(typed.isEmpty ? question.standard : typed)
            } catch {
                show("  \(error.text)\n")
            }
        }
    }
}

extension Interview {
    /// How long a question waits for its answer.
    private static let timeLimit = Duration.seconds(1800)

    /// Asks on the terminal. Ctrl-D ends the questions.
    static func onTerminal(_ keyboard: Keyboard) -> Interview {
        Interview {
            () throws(CommandFailure) in
            do throws(Keyboard.Failure) {
                return String(decoding: try keyboard.line(echo: true, within: timeLimit), as: UTF8.self)
            } catch {
                StandardError.write("\n")
                throw CommandFailure(
                    .canceled, code: "cancelled", message: "the questions were not answered; nothing was written",
                    fix: "run it again, or use --yes for the defaults")
            }
        } show: {
            StandardError.write($0)
        }
    }
}

extension String {
    /// The text without white space at both ends.
    fileprivate var trimmed: String { String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()) }
}
