internal import Receipts

/// Characters that were drawn as boxes.
struct MissingGlyphsWarning: Sendable {
    private let count: Int

    /// nil when every character has a font.
    init?(_ receipt: RenderedReceipt) {
        guard receipt.missingGlyphs > 0 else { return nil }
        count = receipt.missingGlyphs
    }

    func report() {
        StandardError.write(
            "warning: no font has \(count) of the characters: they are drawn as boxes. Install one that has them, for "
                + "example the package fonts-noto-cjk\n")
    }
}
