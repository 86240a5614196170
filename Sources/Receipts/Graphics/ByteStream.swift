internal import CCairo

/// Bytes that cairo writes or reads, one stream after the other.
final class ByteStream {
    private(set) var bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// What cairo is given to find the stream again. It must outlive the drawing.
    var closure: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static var write: ccairo_write {
        { closure, data, length in
            // CAIRO_STATUS_WRITE_ERROR
            guard let closure, let data else { return length == 0 ? 0 : 11 }
            Unmanaged<ByteStream>.fromOpaque(closure).takeUnretainedValue().bytes
                .append(contentsOf: UnsafeBufferPointer(start: data, count: Int(length)))
            return 0
        }
    }

    static var read: ccairo_read {
        { closure, data, length in
            // CAIRO_STATUS_READ_ERROR
            guard let closure, let data else { return length == 0 ? 0 : 10 }
            let stream = Unmanaged<ByteStream>.fromOpaque(closure).takeUnretainedValue()
            guard Int(length) <= stream.bytes.count - stream.position else { return 10 }
            stream.bytes.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                UnsafeMutableRawPointer(data).copyMemory(from: start + stream.position, byteCount: Int(length))
            }
            stream.position += Int(length)
            return 0
        }
    }
}
