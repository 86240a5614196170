internal import CCairo

/// A text that was set: it has a size and can be drawn.
///
/// Its lines stand at a fixed distance whatever fonts their letters come from, so that a receipt has the same layout on
/// every machine.
final class SetText {
    /// Pango's units in one of the surface (PANGO_SCALE).
    static let scale = 1024.0

    /// Where lines stand in the width that they are given.
    enum Alignment {
        case left, center, right
    }

    private let layout: OpaquePointer
    private let functions: ccairo_functions
    private let lines: [(line: OpaquePointer, width: Double)]
    private let lineHeight: Double
    /// From the upper edge of a line to where its letters stand.
    private let ascent: Double
    /// How many characters no font had.
    let missingGlyphs: Int
    /// That of the widest line, in units of the surface.
    let width: Double
    /// Of all lines, in units of the surface.
    var height: Double { lineHeight * Double(lines.count) }

    /// - Parameters:
    ///   - layout: is released with this.
    ///   - size: of the font, in units of the surface.
    ///   - leading: the distance of lines, in sizes of the font.
    ///   - missingGlyphs: how many characters no font had, when some of them were left out.
    ///   - functions: of the loaded library.
    init(
        _ layout: OpaquePointer, size: Double, leading: Double, missingGlyphs: Int? = nil,
        _ functions: ccairo_functions
    ) {
        (self.layout, self.functions) = (layout, functions)
        lineHeight = size * leading
        // Above a line that stands its capital letters are three quarters of its size high.
        ascent = (lineHeight + size * 0.72) / 2
        lines = (0..<functions.pango_layout_get_line_count(layout)).compactMap { index in
            guard let line = functions.pango_layout_get_line_readonly(layout, index) else { return nil }
            var extents = cpango_rectangle()
            functions.pango_layout_line_get_extents(line, nil, &extents)
            return (line, Double(extents.width) / Self.scale)
        }
        self.missingGlyphs = missingGlyphs ?? Int(functions.pango_layout_get_unknown_glyphs_count(layout))
        width = lines.reduce(0) { max($0, $1.width) }
    }

    deinit { functions.g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// Draws it with this corner at the left above; each line at its place in the given width.
    func draw(on context: OpaquePointer, x: Double, y: Double, width: Double = 0, alignment: Alignment = .left) {
        var baseline = y + ascent
        for line in lines {
            let room =
                switch alignment {
                case .left: 0.0
                case .center: (width - line.width) / 2
                case .right: width - line.width
                }
            functions.cairo_move_to(context, x + room, baseline)
            functions.pango_cairo_show_layout_line(context, line.line)
            baseline += lineHeight
        }
    }
}
