internal import CCairo

/// A picture in memory, white at first.
final class ImageSurface {
    private let functions: ccairo_functions
    let surface: OpaquePointer
    /// What draws on it.
    let context: OpaquePointer
    let width: Int
    let height: Int

    /// - Throws: ``ReceiptError/notDrawn(status:)``
    init(_ functions: ccairo_functions, width: Int, height: Int) throws(ReceiptError) {
        (self.functions, self.width, self.height) = (functions, width, height)
        // CAIRO_FORMAT_RGB24
        surface = functions.cairo_image_surface_create(1, Int32(clamping: width), Int32(clamping: height))
        context = functions.cairo_create(surface)
        try check()
        functions.cairo_set_source_rgb(context, 1, 1, 1)
        functions.cairo_paint(context)
        functions.cairo_set_source_rgb(context, 0, 0, 0)
    }

    deinit {
        functions.cairo_destroy(context)
        functions.cairo_surface_destroy(surface)
    }

    /// - Throws: ``ReceiptError/notDrawn(status:)`` when something before failed.
    func check() throws(ReceiptError) {
        let status = functions.cairo_status(context)
        guard status == 0 else { throw .notDrawn(status: Int(status)) }
    }

    /// The picture as a PNG file.
    ///
    /// - Throws: ``ReceiptError/notDrawn(status:)``
    func png() throws(ReceiptError) -> [UInt8] {
        try check()
        let file = CollectedBytes()
        let sink = ByteSink(file.append)
        let status = withExtendedLifetime(sink) {
            functions.cairo_surface_write_to_png_stream(surface, ByteSink.write, sink.closure)
        }
        guard status == 0 else { throw .notDrawn(status: Int(status)) }
        return file.bytes
    }

    /// The picture in black and white.
    ///
    /// - Parameter isPicture: whether greys become patterns of dots; letters become sharp without.
    /// - Returns: as many dots as the picture has pixels.
    func dots(isPicture: Bool) -> DotImage {
        functions.cairo_surface_flush(surface)
        let bytesPerRow = (width + 7) / 8
        var rows = [UInt8](repeating: 0, count: bytesPerRow * height)
        let stride = Int(functions.cairo_image_surface_get_stride(surface))
        guard let data = functions.cairo_image_surface_get_data(surface) else {
            return DotImage(bytesPerRow: bytesPerRow, rows: rows)
        }
        let pixels = UnsafeBufferPointer(start: data, count: stride * height)
        for row in 0..<height {
            for column in 0..<width {
                // 32 bits a pixel in the order of the machine; the sum of the three colours is the same in both.
                let pixel = row * stride + column * 4
                let light = Int(pixels[pixel]) + Int(pixels[pixel + 1]) + Int(pixels[pixel + 2])
                let limit = isPicture ? (Self.pattern[(row & 3) * 4 + column & 3] * 2 + 1) * 24 : 384
                if light < limit { rows[row * bytesPerRow + column >> 3] |= 0x80 >> UInt8(column & 7) }
            }
        }
        return DotImage(bytesPerRow: bytesPerRow, rows: rows)
    }

    /// Ordered dithering: Bayer's matrix of four by four.
    private static let pattern = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
}
