/// A value of a parameter. It travels in PostgreSQL's binary format and never becomes part of the statement's text.
///
/// Literals make values, and `nil` makes NULL: `Statement("… VALUES ($1, $2)", .integer(number), nil)`.
public enum SQLValue: Hashable, Sendable {
    /// `NULL`, of the type that the statement gives it.
    case null
    /// `bigint`
    case integer(Int64)
    /// `text`; the server refuses one with a NUL character.
    case text(String)
    /// `bytea`
    case bytes([UInt8])
    /// `boolean`
    case flag(Bool)
}

extension SQLValue {
    /// A `bigint`, or NULL.
    public static func integer(_ number: Int64?) -> SQLValue { number.map { .integer($0) } ?? .null }

    /// A `text`, or NULL.
    public static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }

    /// A `bytea`, or NULL.
    public static func bytes(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .bytes($0) } ?? .null }

    /// A time as a `bigint` of milliseconds.
    public static func milliseconds(_ duration: Duration) -> SQLValue {
        let (seconds, attoseconds) = duration.components
        return .integer(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    /// A `boolean`, or NULL.
    public static func flag(_ flag: Bool?) -> SQLValue { flag.map { .flag($0) } ?? .null }

    /// The number of the type in the table `pg_type`; 0 lets the server choose.
    var type: UInt32 {
        switch self {
        case .null: 0
        case .integer: PostgreSQLType.int8
        case .text: PostgreSQLType.text
        case .bytes: PostgreSQLType.bytea
        case .flag: PostgreSQLType.bool
        }
    }

    /// The binary format; nil for NULL.
    var encoded: [UInt8]? {
        switch self {
        case .null: nil
        // Numbers have their most significant byte first.
        case .integer(let number): (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .flag(let flag): [flag ? 1 : 0]
        }
    }
}

extension SQLValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral
{
    public init(nilLiteral: ()) { self = .null }

    public init(integerLiteral number: Int64) { self = .integer(number) }

    public init(stringLiteral text: String) { self = .text(text) }

    public init(booleanLiteral flag: Bool) { self = .flag(flag) }
}

/// A statement of SQL with the values of its parameters. No description of it has the values.
public struct Statement: Sendable {
    /// The SQL, with `$1`, `$2`, … for the parameters.
    public let text: String
    /// The values of the parameters, in their order.
    public let parameters: [SQLValue]
    /// The place in the code that made the statement, for errors.
    public let place: CodePlace

    /// Takes the SQL of one statement and the values of `$1`, `$2`, …; `file` and `line` are those of the caller.
    public init(_ text: String, _ parameters: SQLValue..., file: String = #fileID, line: Int = #line) {
        self.init(text, parameters, file: file, line: line)
    }

    /// Takes the SQL of one statement and the values of `$1`, `$2`, … as a list.
    public init(_ text: String, _ parameters: [SQLValue], file: String = #fileID, line: Int = #line) {
        (self.text, self.parameters) = (text, parameters)
        place = CodePlace(file: file, line: line)
    }

    /// The most parameters of a statement, because the protocol counts them with 16 bits.
    static let mostParameters = 65_535

    /// - Throws: ``PostgreSQLError/Reason/misuse(_:)`` when the library can't send it.
    func check() throws(PostgreSQLError) {
        guard !text.utf8.contains(0) else {
            throw PostgreSQLError(.misuse("the statement has a NUL character"), at: place)
        }
        guard parameters.count <= Self.mostParameters else {
            throw PostgreSQLError(.misuse("the statement has more than \(Self.mostParameters) parameters"), at: place)
        }
    }
}

extension Statement: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The SQL without values.
    public var description: String { text }

    public var debugDescription: String { text }

    /// Shows the SQL and the number of parameters, so that no dump has their values.
    public var customMirror: Mirror { Mirror(self, children: ["text": text, "parameters": parameters.count]) }
}
