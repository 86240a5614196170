/// A session that the explorer has thought of: what there is, and what happens in it. It is played, and written down,
/// as a
/// scenario file.
struct SessionDraft: Hashable, Sendable {
    /// The keys of the file before its steps.
    var setup: [DraftEntry] = []
    /// What happens, before everything is mended.
    var steps: [DraftNode] = []

    /// How every session ends: the world is mended, the till begins anew and finishes what was left open. What does not
    /// agree then never will.
    static let ending: [DraftNode] = [
        "mend", ["wait": "1min"], "restart", ["wait": "1min"], "recover", "settle",
    ]

    /// The scenario file. `seed` is what chance in the session is made of; `expectations` are those of each step, the last
    /// ones among them, nil for a step of which nothing is expected.
    func text(seed: UInt64, description: String, expectations: [DraftNode?] = []) -> String {
        var lines = [
            "template_version: 1", "description: \(DraftNode.scalar(description))", "seed: \(seed)",
        ]
        for entry in setup {
            guard case .list(let elements) = entry.value, !elements.isEmpty else {
                lines.append("\(entry.key): \(entry.value.line)")
                continue
            }
            lines.append("\(entry.key):")
            lines += elements.map { "  - \($0.line)" }
        }
        lines.append("steps:")
        for (index, step) in (steps + Self.ending).enumerated() {
            let expected = expectations.indices.contains(index) ? expectations[index] : nil
            lines += Self.lines(of: step, expected: expected)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of step: DraftNode, expected: DraftNode?) -> [String] {
        var step = step
        if let expected {
            if case .text(let word) = step { step = ["do": .text(word)] }
            step["expect"] = expected
        }
        guard case .mapping(let entries) = step else { return ["  - \(step.line)"] }
        var lines: [String] = []
        for (index, entry) in entries.enumerated() {
            let mark = index == 0 ? "  - " : "    "
            guard entry.key == "during", case .list(let elements) = entry.value else {
                lines.append("\(mark)\(entry.key): \(entry.value.line)")
                continue
            }
            lines.append("\(mark)during:")
            lines += elements.map { "      - \($0.line)" }
        }
        return lines
    }
}
