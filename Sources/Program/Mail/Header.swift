import Text

/// A header field: a name and words. Lines can be folded between words (RFC 5322 §2.2.3).
struct HeaderField: Hashable, Sendable {
    let name: String
    /// Visible ASCII. The callers guarantee it, so no text can start another field.
    let words: [String]

    /// The longest line. RFC 2047 §2 allows 76 characters in lines with encoded words.
    private static let lineLength = 76

    init(_ name: String, _ words: [String]) { (self.name, self.words) = (name, words) }

    init(_ name: String, _ value: String) { self.init(name, [value]) }

    /// The field in lines that end with CR and LF. The first word stays on the line of the name.
    var text: String {
        var text = name + ":"
        var used = text.utf8.count
        for (index, word) in words.enumerated() {
            if index > 0, used + 1 + word.utf8.count > Self.lineLength {
                text += "\r\n"
                used = 0
            }
            text += " " + word
            used += 1 + word.utf8.count
        }
        return text + "\r\n"
    }
}

/// Encodes free text in header fields.
enum HeaderText {
    /// Returns the words of a subject or another unstructured field (RFC 5322 §3.2.5).
    static func unstructured(_ text: String) -> [String] {
        let text = singleLine(text)
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return isPlain(text) && !words.contains("") ? words : EncodedWord.words(of: text)
    }

    /// Returns the words of a name before an address (RFC 5322 §3.2.5, `phrase`).
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

    /// Returns the text with a blank for every control character: a line break would start another field.
    private static func singleLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? " " : $0 }))
    }

    /// Whether the text needs no encoding: it is ASCII, does not look like an encoded word, and has no word that makes
    /// a line too long.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.contains("=?")
            && text.split(separator: " ").allSatisfy { $0.utf8.count <= 60 }
    }

    /// Whether the byte is `atext` or a blank.
    private static func isAtomText(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
        }
    }
}

/// Encodes text of any script in ASCII words (RFC 2047).
enum EncodedWord {
    /// The most bytes in one word. It has 60 characters then, so the first word fits on the line of the name.
    private static let length = 36

    /// Returns as many words `=?utf-8?B?…?=` as needed. Each holds whole Unicode characters (§5). Readers drop the
    /// blanks between them.
    static func words(of text: String) -> [String] {
        var (words, bytes) = ([String](), [UInt8]())
        for scalar in text.unicodeScalars {
            let encoded = Array(String(scalar).utf8)
            if bytes.count + encoded.count > length {
                words.append(word(bytes))
                bytes = []
            }
            bytes += encoded
        }
        return bytes.isEmpty ? words : words + [word(bytes)]
    }

    private static func word(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(bytes.base64)?=" }
}
