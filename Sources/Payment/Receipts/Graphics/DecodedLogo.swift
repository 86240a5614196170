import CCairo

/// A logo that cairo has decoded.
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

    /// Returns the scale at which the logo is at most this wide and high, and a pixel is at most this large.
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

/// Adds the physical resolution to a PNG file (PNG, W3C recommendation, §11.3.4.3, pHYs), which cairo does not write.
enum PNGResolution {
    /// The dots per meter of a receipt printer.
    private static let dots = UInt32((203 / 0.0254).rounded())
    /// The offset of the second chunk, after the signature of 8 bytes and the header of 25.
    private static let place = 33

    /// Returns the file with the chunk inserted after its header.
    static func added(to png: [UInt8]) -> [UInt8] {
        guard png.count >= place else { return png }
        // In both directions, in dots per meter (1).
        let chunk = Array("pHYs".utf8) + bigEndian(dots) + bigEndian(dots) + [1]
        return png[..<place] + bigEndian(9) + chunk + bigEndian(checksum(of: chunk)) + png[place...]
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// CRC-32 (annex D)
    private static func checksum(of bytes: [UInt8]) -> UInt32 {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~remainder
    }
}
