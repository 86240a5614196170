/// A value of a scenario file that is still being made.
indirect enum DraftNode: Hashable, Sendable {
    case text(String)
    case list([DraftNode])
    case mapping([DraftEntry])
}

/// A key and its value.
struct DraftEntry: Hashable, Sendable {
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

    /// A whole number.
    static func number(_ number: Int) -> DraftNode { .text(String(number)) }

    /// The value of a key; nil when this is no mapping, or has none.
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

extension DraftNode {
    /// The value on one line, as YAML's flow style has it.
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

    /// In quotes where YAML would take it for something else.
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
