/// A generated session: its initial state and its steps, in the form of a scenario file.
struct SessionDraft: Hashable, Sendable, Codable {
    /// The keys before the steps.
    var setup: [DraftEntry] = []
    /// The steps before the final ones.
    var steps: [DraftNode] = []

    /// The final steps of every session: remove all faults, restart the till, and complete unfinished payments.
    /// Differences that remain are permanent.
    static let ending: [DraftNode] = [
        "mend", ["wait": "1min"], "restart", ["wait": "1min"], "recover", "settle",
    ]

    /// Returns the text of the scenario file. `seed` is the random seed; `expectations` has a value for each step,
    /// including the final ones, or nil.
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

/// A value of a generated scenario file.
indirect enum DraftNode: Hashable, Sendable {
    case text(String)
    case list([DraftNode])
    case mapping([DraftEntry])
}

/// A key and its value.
struct DraftEntry: Hashable, Sendable, Codable {
    var key: String
    var value: DraftNode

    init(_ key: String, _ value: DraftNode) { (self.key, self.value) = (key, value) }
}

extension DraftNode: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    init(stringLiteral value: String) { self = .text(value) }

    init(arrayLiteral elements: DraftNode...) { self = .list(elements) }

    init(dictionaryLiteral elements: (String, DraftNode)...) {
        self = .mapping(elements.map { DraftEntry($0.0, $0.1) })
    }

    /// Creates a whole number.
    static func number(_ number: Int) -> DraftNode { .text(String(number)) }

    /// The value of a key; nil for another key or a value that is not a mapping.
    subscript(key: String) -> DraftNode? {
        get {
            guard case .mapping(let entries) = self else { return nil }
            return entries.first { $0.key == key }?.value
        }
        set {
            guard case .mapping(var entries) = self else { return }
            let place = entries.firstIndex { $0.key == key }
            switch (place, newValue) {
            case (let place?, let value?): entries[place].value = value
            case (let place?, nil): entries.remove(at: place)
            case (nil, let value?): entries.append(DraftEntry(key, value))
            case (nil, nil): break
            }
            self = .mapping(entries)
        }
    }
}

/// Text and lists as in JSON, and a mapping as an object with its entries as a list: their order counts, and a key can
/// be there twice.
extension DraftNode: Codable {
    private enum CodingKeys: CodingKey { case entries }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let elements = try? value.decode([DraftNode].self) {
            self = .list(elements)
        } else {
            let mapping = try decoder.container(keyedBy: CodingKeys.self)
            self = .mapping(try mapping.decode([DraftEntry].self, forKey: .entries))
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .list(let elements):
            var container = encoder.singleValueContainer()
            try container.encode(elements)
        case .mapping(let entries):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(entries, forKey: .entries)
        }
    }
}

extension DraftNode {
    /// The value on one line, in YAML flow style.
    var line: String {
        switch self {
        case .text(let text): Self.scalar(text)
        case .list(let elements): "[" + elements.map(\.line).joined(separator: ", ") + "]"
        case .mapping(let entries):
            entries.isEmpty
                ? "{}"
                : "{ " + entries.map { "\(Self.scalar($0.key)): \($0.value.line)" }.joined(separator: ", ") + " }"
        }
    }

    /// Returns text as a YAML scalar, quoted if needed.
    static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.first.map { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") } == true
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._-".utf8.contains(byte)
                }
            }
        guard !isPlain else { return text }
        return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            + "\""
    }
}

/// An act that can happen during a step, and its name in the coverage.
struct DraftedAct: Hashable, Sendable {
    var name: String
    /// The keys of the scenario's interruption, without its trigger.
    var entries: [DraftEntry]

    init(_ name: String, _ key: String, _ value: DraftNode) {
        (self.name, entries) = (name, [DraftEntry(key, value)])
    }

    /// Creates an act that is a single word.
    init(_ name: String, word: String) { self.init(name, "do", .text(word)) }
}
