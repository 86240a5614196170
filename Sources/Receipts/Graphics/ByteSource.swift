internal import CCairo

/// Bytes that cairo reads.
final class ByteSource {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// What cairo is given to find the source again. The source must outlive the reading.
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
