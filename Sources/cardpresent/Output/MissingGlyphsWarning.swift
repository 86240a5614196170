/// Characters that no font has.
struct MissingGlyphsWarning: Sendable {
    private let count: Int

    /// nil when every character has a font.
    init?(_ count: Int) {
        guard count > 0 else { return nil }
        self.count = count
    }

    func report() {
        StandardError.write(
            "warning: no font has \(count) of the characters: letters are drawn as boxes, emoji are left out. Install a "
                + "font that has them, for example the package fonts-noto-cjk\n")
    }
}
