/// Checks a value against its ``Shape`` and collects all errors.
public struct ShapeCheck: Sendable {
    /// The errors that were found.
    public private(set) var problems = ProblemList()

    /// Creates a check that has found nothing yet.
    public init() {}

    /// Checks a value, at any depth.
    public mutating func check(_ node: SettingsNode, _ shape: Shape) {
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

    /// Creates an empty list.
    public init() {}

    /// Whether there is no error.
    public var isEmpty: Bool { errors.isEmpty }

    public mutating func add(_ error: SettingsError) {
        guard errors.count < Self.most, seen.insert(error).inserted else { return }
        errors.append(error)
    }

    public mutating func add(_ others: ProblemList) {
        for error in others.errors { add(error) }
    }

    /// Returns the value of `body`; on an error, records it and returns nil.
    public mutating func attempt<Value>(_ body: () throws(SettingsError) -> Value) -> Value? {
        do throws(SettingsError) { return try body() } catch {
            add(error)
            return nil
        }
    }
}
