/// How large a picture is on paper (PNG, W3C recommendation, §11.3.4.3, pHYs): cairo does not say it.
enum PNGResolution {
    /// Dots a metre of a receipt printer's head.
    private static let dots = UInt32((203 / 0.0254).rounded())
    /// Where the second chunk begins: behind the signature of 8 bytes and the header of 25.
    private static let place = 33

    /// The file with the chunk behind its header.
    static func added(to png: [UInt8]) -> [UInt8] {
        guard png.count >= place else { return png }
        // In both directions, in dots a metre (1).
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
