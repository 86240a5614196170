/// How stores call a tip, which is a fee to them.
enum TipWords {
    /// Whether one of the words of a fee's name means a tip.
    static func name(_ fee: String) -> Bool {
        fee.lowercased().split { !$0.isLetter }.contains { words.contains(String($0)) }
            || inside.contains { fee.contains($0) }
    }

    private static let words: Set = [
        "tip", "tips", "gratuity", "propina", "pourboire", "trinkgeld", "mancia", "gorjeta", "fooi", "dricks",
        "بقشيش", "إكرامية",
    ]
    /// Of a language that puts no blanks between words.
    private static let inside = ["チップ", "小費", "小费"]
}
