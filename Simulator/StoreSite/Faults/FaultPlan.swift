import Text

/// The active fault rules, with the number of requests that each has matched. The first rule that is due applies.
struct FaultPlan: Sendable {
    private struct Entry {
        var rule: FaultRule
        var fitted = 0
        var met = 0
    }

    private var entries: [Entry] = []

    mutating func add(_ rule: FaultRule) { entries.append(Entry(rule: rule)) }

    mutating func removeAll() { entries = [] }

    /// Returns the fault for a request. `generator` decides for rules with a percentage.
    mutating func fault(method: String, paths: [String], generator: SeededGenerator) -> Fault? {
        var found: Fault?
        for index in entries.indices where entries[index].rule.fits(method: method, paths: paths) {
            entries[index].fitted += 1
            let count = entries[index].fitted
            let isDue =
                switch entries[index].rule.occurrence {
                case .always: true
                case .number(let number): count == number
                case .first(let number): count <= number
                case .from(let number): count >= number
                case .every(let number): count % number == 0
                // Draw even if another rule has applied, so that rules do not change each other's random numbers.
                case .chance(let percent): generator.happens(percent)
                }
            guard isDue, found == nil else { continue }
            entries[index].met += 1
            found = entries[index].rule.fault
        }
        return found
    }

    var node: JSONValue {
        .list(
            entries.map { entry in
                [
                    "rule": .text(entry.rule.description), "fitted": .integer(entry.fitted),
                    "met": .integer(entry.met),
                ]
            })
    }
}

/// A fault and the requests that it applies to, for example `POST /wc/v3/orders/* #1 lost-answer`.
///
/// The words are a method, a path, an occurrence, and the ``Fault``, separated by spaces; only the fault is required.
/// In the path, `*` matches anything. The path is that of the request line or, for a request through the tunnel or by
/// `rest_route`, the route. The occurrence is `#3` for the third matching request, `first:2` for the first two,
/// `from:3` for the third and all later ones, `every:2` for every second one, or `chance:10` for ten percent.
public struct FaultRule: Hashable, Sendable {
    /// Which of the matching requests the fault applies to.
    public enum Occurrence: Hashable, Sendable {
        case always
        case number(Int)
        case first(Int)
        case from(Int)
        case every(Int)
        /// A percentage.
        case chance(Int)
    }

    /// In uppercase; nil for any.
    public var method: String?
    /// The path pattern; nil for any.
    public var path: String?
    public var occurrence: Occurrence
    public var fault: Fault

    /// Applies a fault to requests of this method, in uppercase, and of paths that match; nil matches any.
    public init(method: String? = nil, path: String? = nil, occurrence: Occurrence = .always, fault: Fault) {
        (self.method, self.path, self.occurrence, self.fault) = (method, path, occurrence, fault)
    }

    /// - Throws: ``FaultRuleError``
    public init(_ text: String) throws(FaultRuleError) {
        var words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard let last = words.popLast() else { throw .empty }
        fault = try Fault(last)
        (method, path, occurrence) = (nil, nil, .always)
        if let first = words.first, ["GET", "POST", "PUT", "PATCH", "DELETE", "*"].contains(first.uppercased()) {
            method = first == "*" ? nil : first.uppercased()
            words.removeFirst()
        }
        if let first = words.first, first.hasPrefix("/") {
            path = String(first)
            words.removeFirst()
        }
        if let first = words.first {
            occurrence = try Occurrence(first)
            words.removeFirst()
        }
        if let surplus = words.first { throw .unexpectedWord(String(surplus)) }
    }

    func fits(method: String, paths: [String]) -> Bool {
        guard self.method == nil || self.method == method else { return false }
        guard let path else { return true }
        return paths.contains { Self.matches(Array(path.utf8)[...], Array($0.utf8)[...]) }
    }

    /// Whether a text matches a pattern with `*`.
    private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        var (pattern, text) = (pattern, text)
        // Where to continue if the part after the last star does not match: one byte later.
        var retry: (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)?
        while true {
            if pattern.first == UInt8(ascii: "*") {
                pattern.removeFirst()
                retry = (pattern, text)
            } else if let byte = text.first, byte == pattern.first {
                pattern.removeFirst()
                text.removeFirst()
            } else if text.isEmpty, pattern.isEmpty {
                return true
            } else if let last = retry, !last.text.isEmpty {
                (pattern, text) = (last.pattern, last.text.dropFirst())
                retry = (pattern, text)
            } else {
                return false
            }
        }
    }
}

extension FaultRule: CustomStringConvertible {
    public var description: String {
        let words = [method, path, occurrence == .always ? nil : occurrence.description, fault.description]
        return words.compactMap { $0 }.joined(separator: " ")
    }
}

extension FaultRule.Occurrence: CustomStringConvertible {
    public var description: String {
        switch self {
        case .always: "always"
        case .number(let number): "#\(number)"
        case .first(let count): "first:\(count)"
        case .from(let number): "from:\(number)"
        case .every(let count): "every:\(count)"
        case .chance(let percent): "chance:\(percent)"
        }
    }

    init(_ word: Substring) throws(FaultRuleError) {
        func number(_ text: Substring, _ range: ClosedRange<Int> = 1...1_000_000) throws(FaultRuleError) -> Int {
            let digits = text.hasSuffix("%") ? text.dropLast() : text
            guard let number = Int(digits), range.contains(number) else { throw .invalidOccurrence(String(word)) }
            return number
        }
        if word == "always" {
            self = .always
        } else if word.hasPrefix("#") {
            self = .number(try number(word.dropFirst()))
        } else if word.hasPrefix("first:") {
            self = .first(try number(word.dropFirst(6)))
        } else if word.hasPrefix("from:") {
            self = .from(try number(word.dropFirst(5)))
        } else if word.hasPrefix("every:") {
            self = .every(try number(word.dropFirst(6)))
        } else if word.hasPrefix("chance:") {
            self = .chance(try number(word.dropFirst(7), 0...100))
        } else {
            throw .invalidOccurrence(String(word))
        }
    }
}

/// An error parsing a ``FaultRule``.
public enum FaultRuleError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    case unknownFault(String)
    case invalidArgument(String, expected: String)
    case invalidOccurrence(String)
    case unexpectedWord(String)

    public var description: String {
        switch self {
        case .empty: "the rule is empty; write, for example, 'POST /wc/v3/orders/* #1 lost-answer'"
        case .unknownFault(let text):
            "'\(text)' is not a fault; use latency:TIME, 401, 403, 404, 429[:SECONDS], 500, 502, 503[:SECONDS], cut, "
                + "lost-answer, failed-answer, truncate[:BYTES], charset, html, huge[:BYTES], "
                + "redirect:ADDRESS, wrong-types, stale, or slow[:BYTES] as the last word"
        case .invalidArgument(let text, let expected): "'\(text)' needs \(expected)"
        case .invalidOccurrence(let text):
            "'\(text)' is not an occurrence; write #3, first:2, from:3, every:2, or chance:10"
        case .unexpectedWord(let text):
            "unexpected word '\(text)': a rule is METHOD /PATH WHEN FAULT"
        }
    }
}
