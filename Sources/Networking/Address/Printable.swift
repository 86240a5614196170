/// Text from outside, as it may be shown: on one line, without control characters, and not too long.
public enum Printable {
    /// `limit`: the longest text that is not cut, in characters.
    public static func text(_ text: some StringProtocol, limit: Int = 300) -> String {
        let shown = text.prefix(limit).unicodeScalars.map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: " "
            default: Character(scalar)
            }
        }
        return String(shown) + (text.count > limit ? "…" : "")
    }
}
