/// The text of libpq when it makes no connection.
///
/// It has no fields for it, only a text. In the verbose form ("libpq - C Library", `PQsetErrorVerbosity`), the text has
/// the code of the condition, `FATAL:  28P01: …`, whatever the server's language, and a line with the place in the
/// server's source code.
struct LoginMessage {
    /// The text without codes and places.
    let text: String
    /// Whether the server answered, and will answer the same until a person changes something: the login, its password,
    /// its rights, or the database.
    let isLasting: Bool

    init(_ message: String) {
        var codes: [Substring] = []
        var lines: [String] = []
        for line in message.split(whereSeparator: \.isNewline) where line.wholeMatch(of: Self.place) == nil {
            guard let match = line.firstMatch(of: Self.code) else {
                lines.append(String(line))
                continue
            }
            codes.append(match.output.1)
            lines.append(String(line[..<match.output.1.startIndex]) + String(line[match.range.upperBound...]))
        }
        text = lines.joined(separator: "\n")
        // Of several tries, such as with and without TLS, the last one counts.
        isLasting =
            codes.last.map { code in
                code.hasPrefix("28") || code == "3D000" || code == "42501"
                    || (code == "08P01" && Self.poolerRefusals.contains { message.contains($0) })
            } ?? message.contains(Self.noPassword)
    }

    private static let noPassword = "no password supplied"
    /// PgBouncer's words, which have one code for everything and no translation: it passes on no `options`, and knows
    /// no such login or database.
    private static let poolerRefusals = ["unsupported startup parameter", "no such user", "no such database"]

    /// `FATAL:  28P01: `
    private static var code: Regex<(Substring, Substring)> { #/:  ([0-9A-Z]{5}): /# }
    /// `LOCATION:  InitPostgres, postinit.c:1031`
    private static var place: Regex<Substring> { /\S+:  \w+, \w+\.c:[0-9]+/ }
}
