/// One thing that was not as a scenario expects.
public struct Mismatch: Hashable, Sendable, Encodable {
    /// Which step it is about, counting from 1; nil after the last one.
    public var step: Int?
    /// What the step does: `pay 12.50 USD`; nil after the last one.
    public var action: String?
    /// The key of the expectation: `outcome`; `step` where the step itself could not be carried out.
    public var key: String
    /// Where it is expected.
    public var file: String
    /// The line of ``file``.
    public var line: Int
    /// What was expected, line by line.
    public var expected: [String]
    /// What was seen, line by line.
    public var seen: [String]

    /// What is left out is after the last step.
    public init(
        step: Int? = nil, action: String? = nil, key: String, file: String, line: Int, expected: [String],
        seen: [String]
    ) {
        (self.step, self.action, self.key) = (step, action, key)
        (self.file, self.line, self.expected, self.seen) = (file, line, expected, seen)
    }

    /// For example `step 2, pay 12.50 USD: outcome: expected approved, seen declined`.
    public var sentence: String {
        let place = step.map { "step \($0)" + (action.map { ", \($0)" } ?? "") + ": " } ?? ""
        return place + "\(key): expected \(Self.short(expected)), seen \(Self.short(seen))"
    }

    /// The lines that differ: `-` for what was expected and `+` for what was seen.
    public var difference: [String] { LineDifference.lines(expected: expected, seen: seen) }

    private static func short(_ lines: [String]) -> String {
        guard let first = lines.first else { return "nothing" }
        return lines.count == 1 ? "'\(first)'" : "'\(first)' and \(lines.count - 1) more"
    }
}
