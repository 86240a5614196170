internal import CCairo

/// A text that was set: it has a size and can be drawn.
final class SetText {
    /// Pango's units in one of the surface (PANGO_SCALE).
    static let scale = 1024.0

    private let layout: OpaquePointer
    private let functions: ccairo_functions
    /// In units of the surface. With a width for breaking lines, that of the widest line.
    let width: Double
    let height: Double

    init(_ layout: OpaquePointer, _ functions: ccairo_functions) {
        (self.layout, self.functions) = (layout, functions)
        var (width, height): (Int32, Int32) = (0, 0)
        functions.pango_layout_get_size(layout, &width, &height)
        (self.width, self.height) = (Double(width) / Self.scale, Double(height) / Self.scale)
    }

    deinit { functions.g_object_unref(UnsafeMutableRawPointer(layout)) }

    /// Draws it with this corner at the left above.
    func draw(on context: OpaquePointer, x: Double, y: Double) {
        functions.cairo_move_to(context, x, y)
        functions.pango_cairo_show_layout(context, layout)
    }
}
