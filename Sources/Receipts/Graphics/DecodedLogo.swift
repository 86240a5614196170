internal import CCairo

/// A logo that cairo has read.
final class DecodedLogo {
    private let functions: ccairo_functions
    private let surface: OpaquePointer
    private let logo: ReceiptLogo

    /// - Throws: ``ReceiptError/logoIsNoPNG`` when the file is damaged.
    init(_ logo: ReceiptLogo, _ functions: ccairo_functions) throws(ReceiptError) {
        let stream = ByteStream(logo.png)
        (self.functions, self.logo) = (functions, logo)
        surface = withExtendedLifetime(stream) {
            functions.cairo_image_surface_create_from_png_stream(ByteStream.read, stream.closure)
        }
        guard functions.cairo_surface_status(surface) == 0 else { throw .logoIsNoPNG }
    }

    deinit { functions.cairo_surface_destroy(surface) }

    /// The factor by which it is at most this wide and high; it never grows.
    func factor(width: Double, height: Double) -> Double {
        min(1, width / Double(logo.width), height / Double(logo.height))
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
