/// What stores write for their pages, as plain text.
enum ShownText {
    /// The text without tags and with the characters that its entities stand for.
    static func plain(_ html: String) -> String {
        guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return html }
        var text = ""
        var rest = html[...]
        while let character = rest.first {
            switch character {
            case "<":
                guard let end = rest.firstIndex(of: ">") else { return text + rest }
                rest = rest[rest.index(after: end)...]
            case "&":
                let name = rest.dropFirst().prefix(8).prefix { $0 != ";" }
                if let meant = entities[String(name)], rest.dropFirst(1 + name.count).first == ";" {
                    text += meant
                    rest = rest.dropFirst(2 + name.count)
                } else {
                    text.append(character)
                    rest = rest.dropFirst()
                }
            default:
                text.append(character)
                rest = rest.dropFirst()
            }
        }
        return trimmed(text)
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }

    private static let entities = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "#039": "'", "#39": "'", "nbsp": " ",
        "ndash": "–", "#8211": "–", "mdash": "—", "#8212": "—", "#8217": "’", "times": "×", "euro": "€", "pound": "£",
    ]
}
