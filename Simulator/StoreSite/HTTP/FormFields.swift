import FoundationEssentials
import Text

/// Reads the fields of forms and queries (URL Standard §5), and writes header values.
enum FormFields {
    /// Returns the decoded fields of a form or a query, in order.
    static func read(_ text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&", omittingEmptySubsequences: true).map { field in
            let name = field.prefix { $0 != "=" }
            return (PercentEncoding.decode(name), PercentEncoding.decode(field.dropFirst(name.count + 1)))
        }
    }

    /// Returns the text without characters that would end a header line.
    static func headerValue(_ text: String) -> String {
        String(decoding: text.utf8.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }
}

/// Decodes Base64 (RFC 4648 §4), as Basic authentication uses it.
enum Base64Text {
    /// Returns the bytes; nil for other characters. As in PHP, the padding may be missing.
    static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        let digits = String(text.prefix { $0 != "=" })
        guard text.dropFirst(digits.count).allSatisfy({ $0 == "=" }) else { return nil }
        let padding = String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4)
        return Data(base64Encoded: digits + padding).map { [UInt8]($0) }
    }
}
