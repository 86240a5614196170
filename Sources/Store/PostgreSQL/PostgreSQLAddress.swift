import CPostgreSQL

/// Which database to connect to, how, and as which user: a connection string of libpq.
///
/// It is `postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full&sslrootcert=FILE`, or words such as
/// `host=HOST dbname=DATABASE sslmode=verify-full`, or `service=NAME`, which takes the rest from the service file. What
/// it leaves out comes from the environment (`PGHOST`, `PGPASSFILE`, …) and the password file, as with psql.
///
/// No description of it has a password.
public struct PostgreSQLAddress: Sendable {
    /// The text as it was given, which may have a password.
    let text: String
    /// The values that no message may have.
    let secrets: [String]
    /// The options that are no secrets, as `host=HOST dbname=DATABASE`.
    public let description: String

    /// Reads a connection string. It reads no file and connects to nothing.
    ///
    /// - Throws: ``PostgreSQLError`` with the reason `badAddress` or `libraryMissing`. It has no part of the text.
    public init(_ text: String) throws(PostgreSQLError) {
        let functions = try PostgreSQLLibrary.load().functions
        guard !text.utf8.contains(0) else { throw PostgreSQLError(.badAddress) }
        // The library's message is not asked for: it repeats the text with the password.
        guard let options = functions.PQconninfoParse(text, nil) else { throw PostgreSQLError(.badAddress) }
        defer { functions.PQconninfoFree(options) }
        var (secrets, shown): ([String], [String]) = ([], [])
        var next = options
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.value.map({ String(cString: $0) }), !value.isEmpty {
                // A `*` marks passwords (PQconninfoOption).
                if next.pointee.display.map({ String(cString: $0) }) == "*" {
                    secrets.append(value)
                } else {
                    shown.append("\(String(cString: keyword))=\(value)")
                }
            }
            next += 1
        }
        self.text = text
        self.secrets = secrets
        description = shown.joined(separator: " ")
    }

    /// Returns a message of the library on one line, without passwords.
    func withoutSecrets(_ message: String) -> String {
        let lines = message.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
        let line = lines.joined(separator: "; ")
        return secrets.reduce(line) { text, secret in text.replacing(secret, with: "…") }
    }
}

extension PostgreSQLAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var debugDescription: String { description }

    /// Shows what ``description`` shows, so that no dump has a password.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
