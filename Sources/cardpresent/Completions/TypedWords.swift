/// The words of a command line that is still being typed, as a shell hands them over: with their quotes.
struct TypedWords: Sendable {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    /// What an option is given; nil when it is not there, or nothing follows it.
    func value(of option: String) -> String? {
        for (index, word) in words.enumerated() {
            if word.hasPrefix(option + "=") { return Self.plain(String(word.dropFirst(option.count + 1))) }
            guard word == option else { continue }
            // bash makes a word of its own of the sign between an option and its value.
            let place = words[(index + 1)...].first == "=" ? index + 2 : index + 1
            return place < words.count ? Self.plain(words[place]) : nil
        }
        return nil
    }

    /// Without what a shell would take away.
    private static func plain(_ word: String) -> String {
        var (text, quote) = ("", Character?.none)
        var rest = word[...]
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("\\", "'"): text.append(character)
            case ("\\", _): if let next = rest.popFirst() { text.append(next) }
            case (let mark, let open?) where mark == open: quote = nil
            case ("'", nil), ("\"", nil): quote = character
            default: text.append(character)
            }
        }
        return text
    }
}
