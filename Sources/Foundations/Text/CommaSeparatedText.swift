/// Comma-separated values (RFC 4180) that a spreadsheet shows as they are.
///
/// Every field is quoted. A field that a spreadsheet would take for a formula gets an apostrophe in front, and so does
/// one that has apostrophes before a formula, so that ``unguarded(_:)`` gives every field back. A formula begins
/// with `=`, `+`, `-`, `@`, a tab, or a line break, also after spaces (OWASP, "CSV Injection"). A plain decimal such as
/// `-2.50` is no formula.
public enum CommaSeparatedText {
    /// Returns the rows, each ended by CR LF.
    public static func text(_ rows: [[String]]) -> String {
        rows.map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
    }

    /// Returns a field as it was before it got an apostrophe in front.
    public static func unguarded(_ field: String) -> String {
        guard field.unicodeScalars.first == "'" else { return field }
        let rest = String(String.UnicodeScalarView(field.unicodeScalars.dropFirst()))
        return isGuarded(rest) ? rest : field
    }

    private static func field(_ text: String) -> String {
        // By scalars: CR LF is one character, and a combining mark hides a character from a comparison.
        let quoted = text.escaped { $0 == "\"" ? "\"\"" : nil }
        return "\"" + (isGuarded(text) ? "'" : "") + quoted + "\""
    }

    /// Whether a field gets an apostrophe: a formula, and what would be taken for a formula with one.
    private static func isGuarded(_ text: String) -> Bool {
        isFormula(String(String.UnicodeScalarView(text.unicodeScalars.drop { $0 == "'" })))
    }

    private static func isFormula(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first(where: { $0 != " " }) else { return false }
        switch first {
        case "=", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return true
        case "+", "-": return !isDecimal(text)
        default: return false
        }
    }

    /// Whether the text is a sign, digits, and perhaps a point with more digits.
    private static func isDecimal(_ text: String) -> Bool {
        let parts = text.utf8.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return (1...2).contains(parts.count)
            && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy { (0x30...0x39).contains($0) } }
    }
}
