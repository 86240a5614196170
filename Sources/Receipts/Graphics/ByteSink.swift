internal import CCairo

/// Where cairo writes a file to, a piece at a time.
final class ByteSink {
    private let take: (UnsafeBufferPointer<UInt8>) -> Bool
    /// Whether a piece could not be kept. cairo is not told: version 1.16 crashes when it is.
    private(set) var hasFailed = false

    /// `take`: gets a piece; false when it cannot be kept, which ends the file.
    init(_ take: @escaping (UnsafeBufferPointer<UInt8>) -> Bool) { self.take = take }

    /// What cairo is given to find the sink again. The sink must outlive the drawing.
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
