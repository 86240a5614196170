/// What is told of a scenario that failed: what was expected and seen, the last events, and how to see it again.
public enum FailureText {
    /// Lines of text, each with its line break.
    public static func text(_ result: ScenarioResult) -> String {
        var lines = ["\(result.file):\(result.line): \(result.description)"]
        if result.status == .passedUnexpectedly, let reason = result.reason { lines.append(reason) }
        for mismatch in result.mismatches {
            lines.append("\(mismatch.file):\(mismatch.line): \(mismatch.sentence)")
            lines += mismatch.difference.map { "    " + $0 }
        }
        if !result.lastEvents.isEmpty {
            lines.append("the last events:")
            lines += result.lastEvents.map { "    " + $0 }
        }
        lines.append("again: \(result.replay)")
        return lines.joined(separator: "\n") + "\n"
    }
}
