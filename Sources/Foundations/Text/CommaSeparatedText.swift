/// Comma-separated values (RFC 4180) that a spreadsheet shows as they are.
///
/// Every field is quoted. A field that a spreadsheet would take for a formula gets an apostrophe in front: it begins
/// with `=`, `+`, `-`, `@`, a tab, or a line break, also after spaces (OWASP, "CSV Injection"). A plain decimal such as
/// `-2.50` is no formula.
public enum CommaSeparatedText {
    /// Returns the rows, each ended by CR LF.
    public static func text(_ rows: [[String]]) -> String {
        rows.map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func field(_ text: String) -> String {
        // By scalars: CR LF is one character, and a combining mark hides a character from a comparison.
        let quoted = text.escaped { $0 == "\"" ? "\"\"" : nil }
        return "\"" + (isFormula(text) ? "'" : "") + quoted + "\""
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
