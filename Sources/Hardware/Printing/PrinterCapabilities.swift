/// What a printer takes, and what it can tell.
public struct PrinterCapabilities: Hashable, Sendable, Codable {
    /// What a document for it is made of.
    public enum Language: Hashable, Sendable, Codable {
        /// Pages (`application/pdf`), of the size of a medium.
        case pdf
        /// A receipt printer's own commands, and the columns of its letters.
        case escpos(PrinterFamily, columns: Int)
        /// Lines of text (`text/plain`, UTF-8).
        case text(columns: Int)
    }

    /// The printer's name: the default one's, when none was named.
    public var name: String
    public var language: Language
    /// The sizes of paper that it has or can have; empty where the printer does not say, as a receipt printer.
    public var media: [PrintMedium]
    /// What is in it; nil where the printer does not say.
    public var defaultMedium: PrintMedium?
    /// Whether its "completed" means paper: it answers (IPP, or a receipt printer that is asked). Of a one-way link it
    /// means only that the bytes were taken.
    public var canConfirm: Bool

    public init(
        name: String, language: Language, media: [PrintMedium] = [], defaultMedium: PrintMedium? = nil,
        canConfirm: Bool
    ) {
        (self.name, self.language, self.canConfirm) = (name, language, canConfirm)
        (self.media, self.defaultMedium) = (media, defaultMedium)
    }

    /// The medium that somebody asked for: by its own name, or the nearest in size to a size that has a name everybody
    /// knows (``PrintMedium/wellKnown(_:)``).
    ///
    /// - Throws: ``PrinterError/unsupportedMedium(_:printer:supported:)``
    public func medium(named name: String) throws(PrinterError) -> PrintMedium {
        if let medium = media.first(where: { $0.name == name }) { return medium }
        guard let wanted = PrintMedium.wellKnown(name), let medium = wanted.nearest(in: media) else {
            throw .unsupportedMedium(name, printer: self.name, supported: media.map(\.name))
        }
        return medium
    }
}
