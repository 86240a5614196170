import CCairo

/// An image in memory, initially white.
final class ImageSurface {
    private let functions: ccairo_functions
    let surface: OpaquePointer
    /// The drawing context.
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

    /// - Throws: ``ReceiptError/notDrawn(status:)`` when an earlier operation failed.
    func check() throws(ReceiptError) {
        let status = functions.cairo_status(context)
        guard status == 0 else { throw .notDrawn(status: Int(status)) }
    }

    /// Returns the image as a PNG file.
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

    /// Converts the image to black and white.
    ///
    /// - Parameter isPicture: Whether to dither grays; text stays sharp without dithering.
    /// - Returns: One dot per pixel.
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
                // 32 bits per pixel in native byte order; the sum of the three colors does not depend on it.
                let pixel = row * stride + column * 4
                let light = Int(pixels[pixel]) + Int(pixels[pixel + 1]) + Int(pixels[pixel + 2])
                let limit = isPicture ? (Self.pattern[(row & 3) * 4 + column & 3] * 2 + 1) * 24 : 384
                if light < limit { rows[row * bytesPerRow + column >> 3] |= 0x80 >> UInt8(column & 7) }
            }
        }
        return DotImage(bytesPerRow: bytesPerRow, rows: rows)
    }

    /// Ordered dithering with a 4×4 Bayer matrix.
    private static let pattern = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
}

/// The functions of cairo and Pango, loaded on first use.
struct DrawingLibrary: Sendable {
    /// Pointers to functions of libraries that are never closed, so they stay valid.
    let functions: ccairo_functions

    static func load() throws(ReceiptError) -> ccairo_functions { try loaded.get().functions }

    private static let loaded: Result<DrawingLibrary, ReceiptError> = {
        var functions = ccairo_functions()
        if let missing = ccairo_load(&functions) {
            return .failure(.libraryMissing(String(cString: missing)))
        }
        return .success(DrawingLibrary(functions: functions))
    }()
}

/// The destination of a file that cairo writes piece by piece.
final class ByteSink {
    private let take: (UnsafeBufferPointer<UInt8>) -> Bool
    /// Whether a piece could not be written. cairo does not get the error, because version 1.16 crashes.
    private(set) var hasFailed = false

    /// `take`: receives a piece; returns false when it cannot be written, which ends the file.
    init(_ take: @escaping (UnsafeBufferPointer<UInt8>) -> Bool) { self.take = take }

    /// The pointer with which cairo passes the sink back. The sink must outlive the drawing.
    var closure: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static var write: ccairo_write {
        { closure, data, length in
            guard let closure, let data else { return 0 }
            let sink = Unmanaged<ByteSink>.fromOpaque(closure).takeUnretainedValue()
            if !sink.hasFailed, !sink.take(UnsafeBufferPointer(start: data, count: Int(length))) {
                sink.hasFailed = true
            }
            return 0
        }
    }
}

/// The bytes of a file that cairo reads.
final class ByteSource {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The pointer with which cairo passes the source back. The source must outlive the reading.
    var closure: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static var read: ccairo_read {
        { closure, data, length in
            // CAIRO_STATUS_READ_ERROR
            guard let closure, let data else { return length == 0 ? 0 : 10 }
            let source = Unmanaged<ByteSource>.fromOpaque(closure).takeUnretainedValue()
            guard Int(length) <= source.bytes.count - source.position else { return 10 }
            source.bytes.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                UnsafeMutableRawPointer(data).copyMemory(from: start + source.position, byteCount: Int(length))
            }
            source.position += Int(length)
            return 0
        }
    }
}

/// A file in memory.
final class CollectedBytes {
    private(set) var bytes: [UInt8] = []

    /// Appends a piece, which always succeeds.
    func append(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.append(contentsOf: piece)
        return true
    }
}
