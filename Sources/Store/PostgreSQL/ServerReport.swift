/// A code of five characters for a condition (Appendix A of PostgreSQL's manual).
public struct SQLState: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The five characters.
    public let rawValue: String

    /// Takes the five characters of a code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// 40001: the transaction can't be ordered with others.
    public static let serializationFailure = SQLState(rawValue: "40001")
    /// 40P01: the transaction was ended, so that others could go on.
    public static let deadlockDetected = SQLState(rawValue: "40P01")
    /// 23505: another row has the same key.
    public static let uniqueViolation = SQLState(rawValue: "23505")
    /// 23503: a row of another table is missing.
    public static let foreignKeyViolation = SQLState(rawValue: "23503")
    /// 23514: a row breaks a check of its table.
    public static let checkViolation = SQLState(rawValue: "23514")
    /// 42501: the role may not do this.
    public static let insufficientPrivilege = SQLState(rawValue: "42501")
    /// 42P01: there is no such table.
    public static let undefinedTable = SQLState(rawValue: "42P01")
    /// 55P03: a lock was not free (`NOWAIT`, `lock_timeout`).
    public static let lockNotAvailable = SQLState(rawValue: "55P03")
    /// 25006: the server, or the transaction, changes nothing: a standby that was not promoted yet.
    public static let readOnlyTransaction = SQLState(rawValue: "25006")
    /// 57014: the statement was canceled.
    public static let queryCanceled = SQLState(rawValue: "57014")

    /// The first two characters.
    public var group: Substring { rawValue.prefix(2) }

    public var description: String { rawValue }
}

/// What the server reports about an error: the fields that have no values of rows and parameters.
///
/// The server puts values into messages of data exceptions (class 22) and into the details of broken constraints (class
/// 23): `Key (number)=(17) already exists`. Such texts are left out or replaced; the names of table, column, and
/// constraint tell what is wrong. The context, which can have parameters, is never read. A message of `RAISE` in a
/// function of the schema (P0001) is kept, so such functions must put no values into their messages.
public struct ServerReport: Hashable, Sendable {
    /// The condition.
    public let state: SQLState
    /// `ERROR`, `FATAL` (the server ends the connection), or `PANIC` (the server ends all connections).
    public let severity: String
    /// The message in one line.
    public private(set) var message: String
    /// More about it; nil when the server gives none, or when it could have values.
    public private(set) var detail: String?
    /// The character of the statement that the error is about, counted from 1.
    public let position: Int?
    /// The table.
    public let table: String?
    /// The column.
    public let column: String?
    /// The constraint.
    public let constraint: String?

    /// - Parameter field: returns a field of the server's message by its code.
    init(_ field: (ServerField) -> String?) {
        let state = SQLState(rawValue: field(.state) ?? "")
        self.state = state
        severity = field(.severity) ?? "ERROR"
        message = state.group == "22" ? Self.dataException(state) : field(.message) ?? "an error without a message"
        detail = Self.groupsWithDetail.contains(state.group) ? field(.detail) : nil
        position = field(.position).flatMap { Int($0) }
        (table, column, constraint) = (field(.table), field(.column), field(.constraint))
    }

    /// Returns the report with `…` in place of what is in a text among these parameters: the server can take such a
    /// text for a name, as `$1::regclass` does, and names are in messages.
    func without(_ parameters: [SQLValue]) -> ServerReport {
        let texts = parameters.compactMap { if case .text(let text) = $0, !text.isEmpty { text } else { nil } }
        guard !texts.isEmpty else { return self }
        var report = self
        report.message = Self.redact(message, texts)
        report.detail = detail.map { Self.redact($0, texts) }
        return report
    }

    private static func redact(_ message: String, _ texts: [String]) -> String {
        // A short text is part of many words: it counts only where it is quoted.
        let whole = texts.filter { $0.utf8.count >= 4 }.reduce(message) { $0.replacing($1, with: "…") }
        // The server makes names lowercase, and takes parts of a text as names.
        let known = texts.map { $0.lowercased() }
        var (result, part) = ("", "")
        func shown(_ part: String) -> String {
            let lower = part.lowercased()
            return part.contains { !$0.isWhitespace } && known.contains { $0.contains(lower) } ? "…" : part
        }
        for character in whole {
            if quotes.contains(character) {
                result += shown(part) + String(character)
                part = ""
            } else {
                part.append(character)
            }
        }
        return result + shown(part)
    }

    /// Those of the languages that a server speaks.
    private static let quotes: Set<Character> = ["\"", "'", "„", "“", "”", "«", "»", "‘", "’", "‚", "‹", "›", "「", "」"]

    /// Whether the server goes on with the connection.
    var leavesConnection: Bool { severity == "ERROR" }

    /// Conflicts, resources, states of objects, interventions, syntax and access, states of transactions, features.
    private static let groupsWithDetail: Set<Substring> = ["0A", "25", "28", "40", "42", "53", "55", "57"]

    private static func dataException(_ state: SQLState) -> String {
        switch state.rawValue {
        case "22001": "a text is too long for its column"
        case "22003": "a number is out of range"
        case "22004": "a value is missing"
        case "22007", "22008": "a date or time is wrong"
        case "22012": "division by zero"
        case "22021": "a text has a character that the database does not take"
        case "22023": "a parameter has a value that is not allowed"
        case "22P02": "a text is no value of the type that the statement needs"
        case "22P03": "a parameter is not of the type that the statement needs"
        default: "a value does not fit"
        }
    }
}

/// A field of an error message, by the name of ``ServerReport``.
enum ServerField: CaseIterable {
    case severity, state, message, detail, position, table, column, constraint
}

extension ServerReport: CustomStringConvertible {
    /// The message with its code and the names of what it is about.
    public var description: String {
        let names = [
            table.map { "table '\($0)'" }, column.map { "column '\($0)'" }, constraint.map { "constraint '\($0)'" },
            position.map { "character \($0)" },
        ].compactMap(\.self)
        let about = names.isEmpty ? "" : ", " + names.joined(separator: ", ")
        return "\(message) (\(state)\(about))" + (detail.map { ": \($0)" } ?? "")
    }
}
