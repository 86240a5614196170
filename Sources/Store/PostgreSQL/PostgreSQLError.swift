/// Why something with a PostgreSQL database failed, and where. No error has values of parameters, values of columns, or
/// passwords.
public struct PostgreSQLError: Error, Hashable, Sendable {
    /// A kind of failure.
    public enum Reason: Hashable, Sendable {
        /// libpq can't be opened, or is older than version 14; the text comes from the system.
        case libraryMissing(String)
        /// The connection string can't be read. Its text is left out, because it may have a password.
        case badAddress
        /// The connection was not made; the text comes from libpq.
        case notConnected(String)
        /// The server answered, and takes the login, its password, or the database never: the same comes again until a
        /// person changes something. The text comes from the server.
        case loginRefused(String)
        /// The server refused something. Nothing of the statement, and of the batch or transaction around it, stays.
        case server(ServerReport)
        /// The connection failed, and what was under way is certainly not committed.
        case connectionLost(String)
        /// The deadline passed, and what was under way is certainly not committed.
        case timedOut
        /// The waiting task was canceled, and what was under way is certainly not committed.
        case canceled
        /// This side has closed the connection; what was under way is certainly not committed.
        case closed
        /// The answer to a commit is lost: the changes are committed, or they are not. This is also the end of
        /// statements outside a transaction, which the server commits by itself.
        indirect case commitUnknown(Reason)
        /// The cause of an unknown commit: the server has committed, but no standby has confirmed it, though the server
        /// should wait for one. After a failover, the changes may be gone.
        case unconfirmed
        /// The server answered a commit with a rollback, because a statement before it had failed.
        case notCommitted
        /// A row has no such column, or its value is not of the type that was asked for.
        case column(ColumnProblem)
        /// A call that can't work; the text says what is wrong.
        case misuse(String)
    }

    /// A column and what is wrong with it.
    public struct ColumnProblem: Hashable, Sendable, CustomStringConvertible {
        /// The name of the column.
        public let column: String
        /// The row, counted from 1; nil when the number of rows is wrong.
        public let row: Int?
        /// For example `NULL, where a text was expected`.
        public let problem: String

        public var description: String {
            (row.map { "row \($0), column '\(column)': " } ?? "") + problem
        }
    }

    /// The kind of the failure, with what is known about it.
    public let reason: Reason
    /// The place in the code whose statement failed; nil without one.
    public let place: CodePlace?

    init(_ reason: Reason, at place: CodePlace? = nil) { (self.reason, self.place) = (reason, place) }

    /// The server's report, also when it is the cause of an unknown commit; nil without one.
    public var report: ServerReport? {
        switch reason {
        case .server(let report), .commitUnknown(.server(let report)): report
        default: nil
        }
    }

    /// Whether the same transaction can succeed when it is run again: it was in conflict with another one, and nothing
    /// of it is committed.
    public var isConflict: Bool {
        guard case .server(let report) = reason else { return false }
        return report.state == .serializationFailure || report.state == .deadlockDetected
    }

    /// Whether the changes may be committed or not.
    public var isCommitUnknown: Bool {
        guard case .commitUnknown = reason else { return false }
        return true
    }
}

extension PostgreSQLError: CustomStringConvertible {
    /// The reason and the place.
    public var description: String { reason.description + (place.map { " (\($0))" } ?? "") }
}

extension PostgreSQLError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .libraryMissing(let text): "the client library of PostgreSQL can't be used: \(text); install libpq5"
        case .badAddress:
            "the connection string can't be read: give postgres://USER@HOST/DATABASE, or words such as host=HOST"
                + " dbname=DATABASE"
        case .notConnected(let text): "no connection to the database: \(text)"
        case .loginRefused(let text): "the server refuses the login: \(text)"
        case .server(let report): report.description
        case .connectionLost(let text): "the connection to the database failed: \(text)"
        case .timedOut: "the database took too long"
        case .canceled: "canceled"
        case .closed: "the connection to the database is closed"
        case .unconfirmed, .commitUnknown(.unconfirmed):
            "the server has stored the changes, but no standby has confirmed them, so a failover may lose them"
        case .commitUnknown(let cause): "the answer to a commit is lost, so its changes may be stored or not: \(cause)"
        case .notCommitted: "nothing was committed, because a statement of the transaction had failed"
        case .column(let problem): problem.description
        case .misuse(let text): text
        }
    }
}

/// A place in the source code.
public struct CodePlace: Hashable, Sendable, CustomStringConvertible {
    /// Module and file, for example `Fleet/Outbox.swift`.
    public let file: String
    /// The line, counted from 1.
    public let line: Int

    /// Takes the values of `#fileID` and `#line`.
    public init(file: String, line: Int) { (self.file, self.line) = (file, line) }

    /// `Fleet/Outbox.swift:12`
    public var description: String { "\(file):\(line)" }
}
