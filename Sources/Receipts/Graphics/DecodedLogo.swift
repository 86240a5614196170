internal import CCairo

/// A logo that cairo has read.
final class DecodedLogo {
    private let functions: ccairo_functions
    private let surface: OpaquePointer
    let logo: ReceiptLogo

    /// - Throws: ``ReceiptError/logoIsNoPNG`` when the file is damaged.
    init(_ logo: ReceiptLogo, _ functions: ccairo_functions) throws(ReceiptError) {
        let source = ByteSource(logo.png)
        (self.functions, self.logo) = (functions, logo)
        surface = withExtendedLifetime(source) {
            functions.cairo_image_surface_create_from_png_stream(ByteSource.read, source.closure)
        }
        guard functions.cairo_surface_status(surface) == 0 else { throw .logoIsNoPNG }
    }

    deinit { functions.cairo_surface_destroy(surface) }

    /// The factor by which it is at most this wide and high, and a pixel is at most this large.
    func factor(width: Double, height: Double, pixel: Double) -> Double {
        min(pixel, width / Double(logo.width), height / Double(logo.height))
    }

    func draw(on context: OpaquePointer, x: Double, y: Double, factor: Double) {
        functions.cairo_save(context)
        functions.cairo_translate(context, x, y)
        functions.cairo_scale(context, factor, factor)
        functions.cairo_set_source_surface(context, surface, 0, 0)
        functions.cairo_paint(context)
        functions.cairo_restore(context)
    }
}
