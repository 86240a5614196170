/// Something on paper that is never broken across pages.
struct PaperPiece {
    /// Where a page may end.
    enum Break {
        /// In front of the piece.
        case before
        /// Not in front of the piece: it belongs to the one above.
        case never
        /// In front of the piece, which then is left out: it only parts two others.
        case instead
    }

    /// In points.
    let height: Double
    var pageBreak = Break.before
    /// Draws it with its corner at the left above: x, y.
    let draw: (_ context: OpaquePointer, _ x: Double, _ y: Double) -> Void
}
