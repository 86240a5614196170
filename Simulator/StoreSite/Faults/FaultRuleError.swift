/// Why a text is no ``FaultRule``.
public enum FaultRuleError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    case unknownFault(String)
    case invalidArgument(String, expected: String)
    case invalidOccurrence(String)
    case unexpectedWord(String)

    public var description: String {
        switch self {
        case .empty: "the rule is empty: write one such as 'POST /wc/v3/orders/* #1 lost-answer'"
        case .unknownFault(let text):
            "'\(text)' is no fault: they are latency:TIME, 401, 403, 404, 429[:SECONDS], 500, 502, 503[:SECONDS], cut, "
                + "lost-answer, failed-answer, truncate[:BYTES], charset, html, huge[:BYTES], "
                + "redirect:ADDRESS, wrong-types and slow[:BYTES], and the fault is the last word"
        case .invalidArgument(let text, let expected): "'\(text)' needs \(expected)"
        case .invalidOccurrence(let text):
            "'\(text)' does not say when: write #3, first:2, from:3, every:2 or chance:10"
        case .unexpectedWord(let text):
            "'\(text)' is one word too many: a rule is METHOD /PATH WHEN FAULT"
        }
    }
}
