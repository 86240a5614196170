/// Text of people in a message's head.
enum HeaderText {
    /// The words of a subject or another field without a grammar (RFC 5322 §3.2.5).
    static func unstructured(_ text: String) -> [String] {
        let text = singleLine(text)
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return isPlain(text) && !words.contains("") ? words : EncodedWord.words(of: text)
    }

    /// The words of a name in front of an address (RFC 5322 §3.2.5, `phrase`).
    static func phrase(_ text: String) -> [String] {
        let text = singleLine(text)
        guard isPlain(text), text.utf8.count <= 60 else { return EncodedWord.words(of: text) }
        if text.utf8.allSatisfy(isAtomText) { return text.split(separator: " ").map(String.init) }
        var quoted = "\""
        for character in text {
            if character == "\"" || character == "\\" { quoted += "\\" }
            quoted.append(character)
        }
        return [quoted + "\""]
    }

    /// The text with a blank for every control character: a line of its own would be a field of its own.
    private static func singleLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? " " : $0 }))
    }

    /// Whether it can stand in a head as it is: ASCII, nothing that would be read as an encoded word, and no word that
    /// makes a line too long.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.contains("=?")
            && text.split(separator: " ").allSatisfy { $0.utf8.count <= 60 }
    }

    /// `atext` and blanks.
    private static func isAtomText(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
        }
    }
}
