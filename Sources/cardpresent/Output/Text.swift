internal import SettingsFile

extension String {
    /// The text with blanks behind it, at least `width` characters long.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

extension String {
    /// What to do about a name that is not there: the one that was probably meant, and all that are there.
    static func choice(of typed: String, among names: [String], called what: String) -> String {
        (NearestName.to(typed, among: names).map { "did you mean '\($0)'? " } ?? "")
            + "\(what): " + names.joined(separator: ", ")
    }
}

extension [UInt8] {
    /// Two upper-case digits a byte.
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
