extension SettingsNode {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("min", 60_000), ("h", 3_600_000),
    ]
    /// The longest duration, a day, in milliseconds.
    private static let longest: Int64 = 86_400_000

    /// Reads a duration such as `500ms`, `2s`, `10min`, or `1h`, at most a day.
    public func duration() throws(SettingsError) -> Duration {
        let text = try text(length: 1...20)
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit = Self.units.first { $0.suffix == text.dropFirst(digits.count) }
        guard let unit, let number = Int64(digits), number <= Self.longest / unit.milliseconds else {
            throw error(
                "not a time",
                fix: "write a whole number and its unit, such as 500ms, 2s, 10min or 1h; a day is the most")
        }
        return .milliseconds(number * unit.milliseconds)
    }

    /// Reads a decimal amount without a sign, in any currency.
    public func decimal() throws(SettingsError) -> String {
        let text = try text(length: 1...20)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }) else {
            throw error("not an amount", fix: "write digits with at most one decimal point, such as 12.50")
        }
        return text
    }

    /// Returns one of these words.
    public func word(of words: [String]) throws(SettingsError) -> String {
        let text = try text(length: 1...200)
        guard words.contains(text) else {
            throw SettingsError(
                location: location, keyPath: keyPath,
                problem: .notOneOf(value: text, allowed: words, nearest: NearestName.to(text, among: words)))
        }
        return text
    }

    /// Returns the entries of a list; any other value counts as a single entry.
    public func oneOrMany() throws(SettingsError) -> [SettingsNode] { kind == .list ? try list() : [self] }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}
