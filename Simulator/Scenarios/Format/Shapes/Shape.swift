internal import Money
public import Settings

/// The shape of a value in a scenario file. ``ScenarioKeys`` is the table of all shapes: files are checked against it,
/// and the JSON Schema is generated from it.
public indirect enum Shape: Sendable {
    /// Free text of a length in this range: a name, a path, a pattern.
    case text(ClosedRange<Int>)
    /// A whole number in a range.
    case number(ClosedRange<Int>)
    /// `true` or `false`.
    case boolean
    /// `500ms`, `2s`, `10min` or `1h`.
    case duration
    /// A decimal amount without a sign.
    case amount
    /// One of these words.
    case word([String])
    /// A list of one shape, with a number of entries in this range.
    case list(Shape, ClosedRange<Int>)
    /// A mapping whose keys are names chosen by the author.
    case table(Shape)
    /// A mapping with known keys.
    case record(RecordShape)
    /// The first of these that has the value's kind; among words and texts, the first that takes it.
    case either([Shape])
    /// A value of another format, which the text names.
    case foreign(String)

    /// A list, or a single entry without the list.
    static func oneOrMany(_ shape: Shape, _ count: ClosedRange<Int> = 1...100) -> Shape {
        .either([.list(shape, count), shape])
    }

    /// A line of text.
    static let line = Shape.text(1...200)
}

/// A mapping with known keys.
public struct RecordShape: Sendable {
    /// The name in the JSON Schema.
    public let name: String
    /// The purpose, in one sentence.
    public let summary: String
    /// The allowed keys.
    public let keys: [KeyShape]

    init(_ name: String, _ summary: String, _ keys: [KeyShape]) {
        (self.name, self.summary, self.keys) = (name, summary, keys)
    }
}

/// A key of a ``RecordShape``.
public struct KeyShape: Sendable {
    public let name: String
    public let shape: Shape
    /// The meaning, in one sentence.
    public let summary: String
    public let isRequired: Bool

    init(_ name: String, _ shape: Shape, _ summary: String, isRequired: Bool = false) {
        (self.name, self.shape, self.summary, self.isRequired) = (name, shape, summary, isRequired)
    }
}

/// Checks a value against its ``Shape`` and collects all errors.
struct ShapeCheck {
    private(set) var problems = ProblemList()

    mutating func check(_ node: SettingsNode, _ shape: Shape) {
        switch shape {
        case .text(let length): attempt { () throws(SettingsError) in _ = try node.text(length: length) }
        case .number(let range): attempt { () throws(SettingsError) in _ = try node.int(in: range) }
        case .boolean: attempt { () throws(SettingsError) in _ = try node.bool() }
        case .duration: attempt { () throws(SettingsError) in _ = try node.duration() }
        case .amount: attempt { () throws(SettingsError) in _ = try node.decimal() }
        case .word(let words): attempt { () throws(SettingsError) in _ = try node.word(of: words) }
        case .list(let element, let count):
            do throws(SettingsError) {
                for entry in try node.list(count: count) { check(entry, element) }
            } catch { problems.add(error) }
        case .table(let element):
            do throws(SettingsError) {
                for entry in try node.entries() { check(entry.value, element) }
            } catch { problems.add(error) }
        case .record(let record): check(node, record)
        case .either(let shapes): check(node, either: shapes)
        case .foreign: break
        }
    }

    private mutating func check(_ node: SettingsNode, _ record: RecordShape) {
        let entries: [SettingsEntry]
        do throws(SettingsError) { entries = try node.entries() } catch { return problems.add(error) }
        let names = record.keys.map(\.name)
        for entry in entries {
            guard let key = record.keys.first(where: { $0.name == entry.key }) else {
                problems.add(
                    SettingsError(
                        location: entry.location, keyPath: node.keyPath,
                        problem: .unknownKey(
                            entry.key, nearest: NearestName.to(entry.key, among: names), allowed: names)))
                continue
            }
            // An optional key without a value counts as absent.
            guard entry.value.kind != .nothing else { continue }
            check(entry.value, key.shape)
        }
        for key in record.keys where key.isRequired {
            attempt { () throws(SettingsError) in _ = try node.required(key.name) }
        }
    }

    private mutating func check(_ node: SettingsNode, either shapes: [Shape]) {
        let fitting = shapes.filter { $0.kinds.contains(node.kind) }
        guard !fitting.isEmpty else {
            let expected = shapes.first?.kinds.first ?? .text
            return problems.add(
                SettingsError(
                    location: node.location, keyPath: node.keyPath,
                    problem: .wrongKind(expected: expected, found: node.kind)))
        }
        var first: ProblemList?
        for shape in fitting {
            var attempt = ShapeCheck()
            attempt.check(node, shape)
            guard !attempt.problems.isEmpty else { return }
            if first == nil { first = attempt.problems }
        }
        if let first { problems.add(first) }
    }

    private mutating func attempt(_ body: () throws(SettingsError) -> Void) {
        do throws(SettingsError) { try body() } catch { problems.add(error) }
    }
}

extension Shape {
    /// The possible kinds of the value.
    fileprivate var kinds: [SettingsKind] {
        switch self {
        case .text, .number, .boolean, .duration, .amount, .word: [.text]
        case .list: [.list]
        case .table, .record: [.mapping]
        case .either(let shapes): shapes.flatMap(\.kinds)
        case .foreign: [.text, .list, .mapping]
        }
    }
}

/// Errors in order, without duplicates, up to a maximum.
public struct ProblemList: Hashable, Sendable {
    public private(set) var errors: [SettingsError] = []
    private var seen: Set<SettingsError> = []

    /// The most errors to report for one file.
    private static let most = 100

    init() {}

    var isEmpty: Bool { errors.isEmpty }

    mutating func add(_ error: SettingsError) {
        guard errors.count < Self.most, seen.insert(error).inserted else { return }
        errors.append(error)
    }

    mutating func add(_ others: ProblemList) {
        for error in others.errors { add(error) }
    }

    /// Returns the value of `body`; on an error, records it and returns nil.
    mutating func attempt<Value>(_ body: () throws(SettingsError) -> Value) -> Value? {
        do throws(SettingsError) { return try body() } catch {
            add(error)
            return nil
        }
    }
}

extension SettingsNode {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("min", 60_000), ("h", 3_600_000),
    ]
    /// The longest duration, a day, in milliseconds.
    private static let longest: Int64 = 86_400_000

    /// Reads a duration such as `500ms`, `2s`, `10min`, or `1h`, at most a day.
    func duration() throws(SettingsError) -> Duration {
        let text = try text(length: 1...20)
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit = Self.units.first { $0.suffix == text.dropFirst(digits.count) }
        guard let unit, let number = Int64(digits), number <= Self.longest / unit.milliseconds else {
            throw error(
                "not a time",
                fix: "write a whole number and its unit, such as 500ms, 2s, 10min or 1h; a day is the most")
        }
        return .milliseconds(number * unit.milliseconds)
    }

    /// Reads a decimal amount without a sign, in any currency.
    func decimal() throws(SettingsError) -> String {
        let text = try text(length: 1...20)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }) else {
            throw error("not an amount", fix: "write digits with at most one decimal point, such as 12.50")
        }
        return text
    }

    /// Reads an amount in a currency.
    func money(_ currency: Currency) throws(SettingsError) -> Money {
        let text = try decimal()
        do throws(MoneyError) { return try Money(text, currency: currency) } catch { throw self.error("\(error)") }
    }

    /// Reads an ISO 4217 code.
    func currency() throws(SettingsError) -> Currency {
        let code = try text(length: 1...20)
        do throws(MoneyError) { return try Currency(code: code) } catch {
            throw self.error("unknown currency", fix: "write an ISO 4217 code such as USD, EUR or JPY")
        }
    }

    /// One of these words.
    func word(of words: [String]) throws(SettingsError) -> String {
        let text = try text(length: 1...200)
        guard words.contains(text) else {
            throw SettingsError(
                location: location, keyPath: keyPath,
                problem: .notOneOf(value: text, allowed: words, nearest: NearestName.to(text, among: words)))
        }
        return text
    }

    /// Returns the entries of a list; any other value counts as a single entry.
    func oneOrMany() throws(SettingsError) -> [SettingsNode] { kind == .list ? try list() : [self] }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}
