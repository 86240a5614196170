import CardSecrets

/// A problem in a settings file, with its location. Digits that may be a card number are masked in every text of it.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    public let location: SettingsLocation
    /// The path to the value, for example `applications[0].floorLimit`; empty for the whole document.
    public let keyPath: String
    public let problem: SettingsProblem

    /// Takes the place, the path of keys that leads there, such as `readers[0].id`, and what is wrong.
    public init(location: SettingsLocation, keyPath: String, problem: SettingsProblem) {
        (self.location, self.keyPath, self.problem) = (location, keyPath, problem)
    }

    /// The problem in one sentence without a period.
    public var message: String { CardNumberMask.masked(problem.message) }

    /// How to fix the problem; nil when the message says so.
    public var fix: String? { problem.fix.map { CardNumberMask.masked($0, besides: problem.message) } }

    /// The file and line; only the file when it cannot be read.
    public var place: String {
        if case .unreadableFile = problem { location.file } else { location.description }
    }

    /// The place, key, and message.
    public var located: String {
        CardNumberMask.masked("\(place): " + (keyPath.isEmpty ? "" : keyPath + ": ")) + message
    }

    /// For example `terminal.yaml:12: applications[0].floorLimit: 'abc' is not a number`.
    public var description: String {
        located + (fix.map { "; \($0)" } ?? "")
    }
}

/// The kinds of problems in a settings file. Quoted values are shortened; secret values are nil.
public enum SettingsProblem: Hashable, Sendable {
    /// The file cannot be read; the reason is the operating system's.
    case unreadableFile(reason: String)
    /// The text is not UTF-8.
    case notText
    /// The text is not YAML; the reason is the parser's.
    case syntax(reason: String)
    /// A tab where YAML requires spaces.
    case tab
    /// Nothing but comments and blank lines.
    case emptyDocument
    /// A second `---` document.
    case severalDocuments
    /// More bytes than a settings file may have.
    case tooLarge(limit: Int)
    /// Lists and mappings nested deeper than allowed.
    case tooDeep(limit: Int)
    /// More values than allowed.
    case tooManyValues(limit: Int)
    /// An anchor (`&name`) or an alias (`*name`).
    case anchorOrAlias
    /// A mapping has this key twice.
    case duplicateKey(String)
    /// A key that is a list or a mapping.
    case keyIsNotText
    /// A required key is missing.
    case missingKey(String)
    /// An unknown key.
    case unknownKey(String, nearest: String?, allowed: [String])
    /// A value of the wrong kind, such as a list instead of text.
    case wrongKind(expected: SettingsKind, found: SettingsKind)
    case notANumber(value: String?)
    case outOfRange(value: String?, minimum: Int, maximum: Int)
    case notABoolean(value: String?)
    case notHexadecimal(value: String?)
    /// Text or bytes of the wrong length.
    case wrongLength(found: Int, minimum: Int, maximum: Int, unit: SettingsUnit)
    case notOneOf(value: String?, allowed: [String], nearest: String?)
    /// A value that fails a check of its reader, with the reader's message.
    case invalid(message: String, fix: String?)
}

/// The kinds of values.
public enum SettingsKind: String, Hashable, Sendable {
    case text = "text"
    case list = "a list"
    case mapping = "a mapping"
    case nothing = "nothing"
}

/// The units of a length.
public enum SettingsUnit: String, Hashable, Sendable {
    case bytes, characters, digits, entries
}

extension SettingsProblem {
    var message: String {
        switch self {
        case .unreadableFile(let reason): "cannot read the file: \(reason)"
        case .notText: "the file is not UTF-8 text"
        case .syntax(let reason): "not valid YAML: \(reason)"
        case .tab: "there is a tab where YAML requires spaces"
        case .emptyDocument: "the file has no settings"
        case .severalDocuments: "the file has more than one document"
        case .tooLarge(let limit): "the file is larger than \(limit) bytes"
        case .tooDeep(let limit): "values are nested deeper than \(limit) levels"
        case .tooManyValues(let limit): "the file has more than \(limit) values"
        case .anchorOrAlias: "anchors and aliases are not supported"
        case .duplicateKey(let key): "duplicate key '\(Self.clip(key))'"
        case .keyIsNotText: "a key must be plain text"
        case .missingKey(let key): "the key '\(key)' is missing"
        case .unknownKey(let key, _, _): "unknown key '\(Self.clip(key))'"
        case .wrongKind(let expected, let found): "expected \(expected.rawValue), found \(found.rawValue)"
        case .notANumber(let value): "\(Self.quote(value)) is not a number"
        case .outOfRange(let value, let minimum, let maximum):
            "\(Self.quote(value)) is not in \(minimum)...\(maximum)"
        case .notABoolean(let value): "\(Self.quote(value)) is neither true nor false"
        case .notHexadecimal(let value): "\(Self.quote(value)) is not hexadecimal"
        case .wrongLength(let found, let minimum, let maximum, let unit):
            minimum == maximum
                ? "expected \(minimum) \(unit.rawValue), found \(found)"
                : "expected \(minimum) to \(maximum) \(unit.rawValue), found \(found)"
        case .notOneOf(let value, _, _): "unknown value \(Self.quote(value))"
        case .invalid(let message, _): message
        }
    }

    var fix: String? {
        switch self {
        case .tab: "indent with spaces"
        case .severalDocuments: "keep one, and remove the '---' lines"
        case .anchorOrAlias: "write the value out, or put it in quotes"
        case .duplicateKey: "remove one of them"
        case .unknownKey(_, let nearest?, _), .notOneOf(_, _, let nearest?): "did you mean '\(nearest)'?"
        case .unknownKey(_, nil, let allowed), .notOneOf(_, let allowed, nil):
            allowed.isEmpty ? nil : "use one of " + allowed.joined(separator: ", ")
        case .notHexadecimal: "write two digits (0-9, A-F) for each byte"
        case .invalid(_, let fix): fix
        case .unreadableFile, .notText, .syntax, .emptyDocument, .tooLarge, .tooDeep, .tooManyValues, .keyIsNotText,
            .missingKey, .wrongKind, .notANumber, .outOfRange, .notABoolean, .wrongLength:
            nil
        }
    }

    private static func quote(_ value: String?) -> String { value.map { "'\(clip($0))'" } ?? "the value" }

    /// The first 40 characters, with control characters replaced, so that a message stays on its line. Card numbers are
    /// masked here, because a part of one would not be recognized later.
    private static func clip(_ text: String) -> String {
        let start = CardNumberMask.masked(text).unicodeScalars.prefix(41)
        let shown = String.UnicodeScalarView(start.map { $0.properties.generalCategory == .control ? "?" : $0 })
        return shown.count > 40 ? String(shown.dropLast()) + "…" : String(shown)
    }
}

/// A place in a settings file. Lines and columns count from 1, columns in Unicode scalars.
public struct SettingsLocation: Hashable, Sendable, CustomStringConvertible {
    /// The file's name as the user gave it.
    public let file: String
    public let line: Int
    public let column: Int

    /// Takes a file name for messages, a line, and a column, both from 1.
    public init(file: String, line: Int, column: Int) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    /// For example `terminal.yaml:12`.
    public var description: String { "\(file):\(line)" }
}

/// Finds the most similar known name, for a suggestion after a typing error.
public enum NearestName {
    /// The name among `known` that takes the fewest edits to reach, when these are few: at most two,
    /// or a third of the letters typed. Letter case costs nothing.
    public static func to(_ typed: String, among known: some Sequence<String>) -> String? {
        // Longer text is not a typing error.
        guard typed.count <= 64 else { return nil }
        let allowed = max(1, min(2, typed.count - 1), typed.count / 3)
        return known.map { (name: $0, distance: distance(typed.lowercased(), $0.lowercased())) }
            .filter { $0.distance <= allowed }
            .min { $0.distance < $1.distance }?.name
    }

    /// Returns the known names that take the fewest edits to reach, the nearest first, also when these are many. A name
    /// that begins with the typed text or contains it comes before the others.
    public static func closest(_ count: Int, to typed: String, among known: some Sequence<String>) -> [String] {
        // The effort grows with the length of the text.
        let typed = String(typed.prefix(64)).lowercased()
        let ranked = known.enumerated().map { place, name in
            let lower = name.lowercased()
            let isPart = !typed.isEmpty && lower.contains(typed)
            return (name: name, rank: (isPart ? 0 : 1, distance(typed, lower), place))
        }
        return ranked.sorted { $0.rank < $1.rank }.prefix(count).map(\.name)
    }

    /// Levenshtein's distance: insertions, deletions and replacements of one character.
    private static func distance(_ first: String, _ second: String) -> Int {
        let columns = Array(second)
        var row = Array(0...columns.count)
        for (index, character) in first.enumerated() {
            var diagonal = index
            row[0] = index + 1
            for column in columns.indices {
                let replaced = diagonal + (columns[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[columns.count]
    }
}
