/// Text of any script as words of ASCII (RFC 2047).
enum EncodedWord {
    /// The bytes of one word: with what is around them 60 characters, so that the first one fits beside a field's name.
    private static let length = 36

    /// `=?utf-8?B?…?=`, as many as are needed. Each holds whole characters of Unicode (§5), and what reads them leaves
    /// out the blanks between them.
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

    private static func word(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Base64.text(bytes))?=" }
}
