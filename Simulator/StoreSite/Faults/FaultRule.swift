/// Which requests a fault meets: `POST /wc/v3/orders/* #1 lost-answer`.
///
/// Words with spaces between, all but the last of which may be left out: a method; a path, in which `*` stands for
/// anything; when; and the ``Fault``. The path is that of the request line or, for a request that comes through the
/// tunnel or by `rest_route`, the route that is asked for. When: `#3` for the third request that fits, `first:2` for
/// the first two, `from:3` for the third and all that follow, `every:2` for every second one, `chance:10` for ten of a
/// hundred.
public struct FaultRule: Hashable, Sendable {
    /// Which of the requests that fit.
    public enum Occurrence: Hashable, Sendable {
        case always
        case number(Int)
        case first(Int)
        case from(Int)
        case every(Int)
        /// In percent.
        case chance(Int)
    }

    /// In capitals; nil for any.
    public var method: String?
    /// Nil for any.
    public var path: String?
    public var occurrence: Occurrence
    public var fault: Fault

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

    /// Whether a text fits a pattern with `*` in it.
    private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        var (pattern, text) = (pattern, text)
        // Where to go on when what followed the last star does not fit: one byte later.
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
