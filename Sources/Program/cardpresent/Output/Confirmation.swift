import Determinism

/// A question that a person answers with yes before the journal gets a decision.
struct Confirmation {
    /// The question, such as `Close it?`.
    let question: String
    /// What stays without a yes, such as `nothing was closed`.
    let otherwise: String
    /// What `--yes` does, such as `close the batch without asking`.
    let shortcut: String
    let time: any TimeSource

    /// Asks on the terminal.
    ///
    /// - Parameter facts: the lines above the question.
    /// - Throws: `CommandFailure` without a terminal, and when the answer is not yes.
    func ask(about facts: [String]) throws(CommandFailure) {
        guard Keyboard.isThere else {
            throw CommandFailure(
                .usage, code: "not_confirmed", message: "there is no terminal for the question, and \(otherwise)",
                fix: "give --yes to \(shortcut)")
        }
        for fact in facts { StandardError.write(fact + "\n") }
        StandardError.write("\(question) [y/N]: ")
        var answer = ""
        do throws(Keyboard.Failure) {
            answer = String(decoding: try Keyboard(time: time).line(echo: true, within: .seconds(1800)), as: UTF8.self)
        } catch {
            // Without a line in time, the answer is no.
        }
        guard ["y", "yes"].contains(answer.lowercased().filter { !$0.isWhitespace }) else {
            throw CommandFailure(
                .canceled, code: "not_confirmed", message: "\(otherwise): the question was not answered with yes")
        }
    }
}
