/// A receipt as a file, or as what is sent to a printer.
public struct RenderedReceipt: Hashable, Sendable {
    public let bytes: [UInt8]
    /// How many characters no installed font has. Letters are drawn as boxes, and emoji are left out.
    public let missingGlyphs: Int

    init(bytes: [UInt8], missingGlyphs: Int) { (self.bytes, self.missingGlyphs) = (bytes, missingGlyphs) }

    /// A format of text, which needs no font.
    public init(text: String) { self.init(bytes: Array(text.utf8), missingGlyphs: 0) }
}
