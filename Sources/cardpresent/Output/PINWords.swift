internal import EMV

/// What the cardholder is told about the PIN (EMV Book 4 §11.2: messages).
enum PINWords {
    /// What went wrong before, and what will happen next: lines to show before the PIN is asked for.
    static func warnings(_ prompt: PINPrompt) -> [String] {
        var lines: [String] = []
        if prompt.isRetry {
            // The card says how many; the last one has words of its own.
            let left = prompt.isLastTry ? "" : prompt.triesLeft.map { " \($0) tries left." } ?? ""
            lines.append("Incorrect PIN." + left)
        }
        if prompt.isLastTry { lines.append("Last try: another wrong PIN blocks it.") }
        return lines
    }
}
