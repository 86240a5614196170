/// When a card ends, as people write it on paper.
enum ExpirationDate {
    /// Whether a text names one: `EXP 12/29`, `Expires: 12/2029`.
    static func isNamed(in text: String) -> Bool {
        let lower = text.lowercased()
        guard let word = ["exp", "valid thru", "valid until"].lazy.compactMap({ lower.firstRange(of: $0) }).first else {
            return false
        }
        let parts = lower[word.upperBound...].split { !$0.isNumber && $0 != "/" }
        return parts.contains { part in
            let halves = part.split(separator: "/", omittingEmptySubsequences: false)
            return halves.count == 2 && halves[0].count == 2 && (halves[1].count == 2 || halves[1].count == 4)
                && Int(halves[0]).map { (1...12).contains($0) } == true && Int(halves[1]) != nil
        }
    }
}
