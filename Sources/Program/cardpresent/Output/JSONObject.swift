/// A JSON object of a result: its keys and values. A value that is nil is null; a `known` key is left out when its
/// value is nil.
struct JSONObject: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    private var base: (any Encodable & Sendable)?
    private var members: [(name: String, value: any Encodable & Sendable)]

    init(dictionaryLiteral elements: (String, any Encodable & Sendable)...) {
        members = elements.map { (name: $0.0, value: $0.1) }
    }

    /// - Parameters:
    ///   - object: The keys that are always present.
    ///   - known: The keys that are left out without a value.
    init(_ object: JSONObject = [:], known: KeyValuePairs<String, (any Encodable & Sendable)?>) {
        self = object
        for (name, value) in known {
            if let value { members.append((name: name, value: value)) }
        }
    }

    /// Creates an object with these keys.
    init(members: [(name: String, value: some Encodable & Sendable)]) {
        self.members = members.map { (name: $0.name, value: $0.value) }
    }

    /// Creates the object that `base` encodes, with more keys.
    init(extending base: any Encodable & Sendable, with object: JSONObject) {
        self = object
        self.base = base
    }

    func encode(to encoder: any Encoder) throws {
        try base?.encode(to: encoder)
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in members { try container.encode(value, forKey: Name(stringValue: name)) }
    }
}

/// A result of a command: for programs and for people.
protocol CommandResult {
    /// The result as JSON.
    var json: JSONObject { get }
    /// The result as lines of text.
    var text: String { get }
}

extension Sequence where Element: CommandResult {
    /// The results as a JSON array.
    var json: [JSONObject] { map(\.json) }

    /// The results as text, one below the other.
    var text: String { map(\.text).joined() }
}

/// A row of a table that a command shows.
protocol TableRow {
    /// The row as JSON.
    var json: JSONObject { get }
    var cells: [String] { get }
    /// The headings of the cells.
    static var heads: [String] { get }
    /// The colors of cells, by their place.
    var colors: [Int: WordColor] { get }
}

extension TableRow {
    var colors: [Int: WordColor] { [:] }
}

/// A row of a table whose place in the list is shown and part of its JSON.
struct NumberedRow<Row: TableRow>: TableRow {
    let number: Int
    let row: Row

    var json: JSONObject { JSONObject(extending: row.json, with: ["number": number]) }

    static var heads: [String] { ["#"] + Row.heads }

    var cells: [String] { [String(number)] + row.cells }

    var colors: [Int: WordColor] {
        Dictionary(uniqueKeysWithValues: row.colors.map { (place, color) in (place + 1, color) })
    }
}

/// A heading with lines of names and values.
struct DetailText {
    private(set) var text: String

    init(_ heading: String) { text = heading + "\n" }

    /// Adds a name and its value; nothing when the value is nil.
    mutating func add(_ name: String, _ value: String?) {
        if let value { add(line: "  " + name.padded(to: 14) + value) }
    }

    mutating func add(line: String) { text += line + "\n" }
}
