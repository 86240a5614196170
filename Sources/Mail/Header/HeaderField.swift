/// A field of a message's head: a name, and words that lines may be folded between (RFC 5322 §2.2.3).
struct HeaderField: Hashable, Sendable {
    let name: String
    /// Visible ASCII. Whoever makes a field sees to that, so no text can begin a field of its own.
    let words: [String]

    /// How long a line gets before it is folded. RFC 2047 §2 gives lines with encoded words 76 characters.
    private static let lineLength = 76

    init(_ name: String, _ words: [String]) { (self.name, self.words) = (name, words) }

    init(_ name: String, _ value: String) { self.init(name, [value]) }

    /// The field in lines that end with CR and LF. The first word stays beside the name.
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
