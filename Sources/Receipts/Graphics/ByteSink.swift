internal import CCairo

/// Where cairo writes a file to, a piece at a time.
final class ByteSink {
    private let take: (UnsafeBufferPointer<UInt8>) -> Bool

    /// `take`: gets a piece; false when it cannot be kept, which ends the file.
    init(_ take: @escaping (UnsafeBufferPointer<UInt8>) -> Bool) { self.take = take }

    /// What cairo is given to find the sink again. The sink must outlive the drawing.
    var closure: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static var write: ccairo_write {
        { closure, data, length in
            // CAIRO_STATUS_WRITE_ERROR
            guard let closure, let data else { return length == 0 ? 0 : 11 }
            let sink = Unmanaged<ByteSink>.fromOpaque(closure).takeUnretainedValue()
            return sink.take(UnsafeBufferPointer(start: data, count: Int(length))) ? 0 : 11
        }
    }
}
