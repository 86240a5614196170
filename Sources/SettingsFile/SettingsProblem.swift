/// The kinds of fault in a settings file. Quoted values are cut short; those of secret fields are nil.
public enum SettingsProblem: Hashable, Sendable {
    /// The file cannot be read; the reason is the operating system's.
    case unreadableFile(reason: String)
    /// The text is not UTF-8.
    case notText
    /// The text is not YAML; the reason is the parser's.
    case syntax(reason: String)
    /// A tab where YAML wants spaces.
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
    /// A key that must be there is not.
    case missingKey(String)
    /// A key that means nothing here.
    case unknownKey(String, nearest: String?, allowed: [String])
    /// A list where text was wanted, and the like.
    case wrongKind(expected: SettingsKind, found: SettingsKind)
    case notANumber(value: String?)
    case outOfRange(value: String?, minimum: Int, maximum: Int)
    case notABoolean(value: String?)
    case notHexadecimal(value: String?)
    /// Text or bytes of the wrong length.
    case wrongLength(found: Int, minimum: Int, maximum: Int, unit: SettingsUnit)
    case notOneOf(value: String?, allowed: [String], nearest: String?)
    /// A value that its reader refuses, in the reader's words.
    case invalid(message: String, fix: String?)
}

/// The shapes that a value can have.
public enum SettingsKind: String, Hashable, Sendable {
    case text = "text"
    case list = "a list"
    case mapping = "a mapping"
    case nothing = "nothing"
}

/// What a length counts.
public enum SettingsUnit: String, Hashable, Sendable {
    case bytes, characters, digits, entries
}

extension SettingsProblem {
    var message: String {
        switch self {
        case .unreadableFile(let reason): "cannot read the file: \(reason)"
        case .notText: "the file is not UTF-8 text"
        case .syntax(let reason): "not valid YAML: \(reason)"
        case .tab: "there is a tab where YAML wants spaces"
        case .emptyDocument: "the file has no settings"
        case .severalDocuments: "the file has more than one document"
        case .tooLarge(let limit): "the file is larger than \(limit) bytes"
        case .tooDeep(let limit): "values are nested deeper than \(limit) levels"
        case .tooManyValues(let limit): "the file has more than \(limit) values"
        case .anchorOrAlias: "anchors and aliases are not supported"
        case .duplicateKey(let key): "the key '\(Self.clip(key))' is there twice"
        case .keyIsNotText: "a key must be plain text"
        case .missingKey(let key): "the key '\(key)' is missing"
        case .unknownKey(let key, _, _): "unknown key '\(Self.clip(key))'"
        case .wrongKind(let expected, let found): "\(expected.rawValue) is wanted here, not \(found.rawValue)"
        case .notANumber(let value): "\(Self.quote(value)) is not a number"
        case .outOfRange(let value, let minimum, let maximum):
            "\(Self.quote(value)) is not in \(minimum)...\(maximum)"
        case .notABoolean(let value): "\(Self.quote(value)) is neither true nor false"
        case .notHexadecimal(let value): "\(Self.quote(value)) is not a row of hexadecimal bytes"
        case .wrongLength(let found, let minimum, let maximum, let unit):
            minimum == maximum
                ? "\(found) \(unit.rawValue), where \(minimum) are wanted"
                : "\(found) \(unit.rawValue), where \(minimum) to \(maximum) are wanted"
        case .notOneOf(let value, _, _): "\(Self.quote(value)) is not known here"
        case .invalid(let message, _): message
        }
    }

    var fix: String? {
        switch self {
        case .tab: "indent with spaces"
        case .severalDocuments: "leave one and remove the '---' lines"
        case .anchorOrAlias: "write the value out, or put it in quotes"
        case .duplicateKey: "remove one of them"
        case .unknownKey(_, let nearest?, _), .notOneOf(_, _, let nearest?): "did you mean '\(nearest)'?"
        case .unknownKey(_, nil, let allowed), .notOneOf(_, let allowed, nil):
            allowed.isEmpty ? nil : "use one of " + allowed.joined(separator: ", ")
        case .notHexadecimal: "write two digits 0-9 A-F a byte"
        case .invalid(_, let fix): fix
        case .unreadableFile, .notText, .syntax, .emptyDocument, .tooLarge, .tooDeep, .tooManyValues, .keyIsNotText,
            .missingKey, .wrongKind, .notANumber, .outOfRange, .notABoolean, .wrongLength:
            nil
        }
    }

    private static func quote(_ value: String?) -> String { value.map { "'\(clip($0))'" } ?? "the value" }

    /// The first 40 characters, with control characters replaced, so that a message stays on its line.
    private static func clip(_ text: String) -> String {
        let shown = String.UnicodeScalarView(
            text.unicodeScalars.prefix(41).map { $0.properties.generalCategory == .control ? "?" : $0 })
        return shown.count > 40 ? String(shown.dropLast()) + "…" : String(shown)
    }
}
