/// PNG files of 8 bits a pixel whose rows are neither filtered nor compressed: all that golden pictures need.
extension GrayPicture {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The most bytes of a stored block (RFC 1951 §3.2.4).
    private static let blockLimit = 65_535

    /// Reads what ``png`` made.
    init(png: [UInt8]) throws {
        guard png.starts(with: Self.signature) else { throw Unreadable() }
        var (offset, width, height, stream) = (8, 0, 0, [UInt8]())
        while png.count - offset >= 12 {
            let length = Self.number(png, offset)
            guard length <= png.count - offset - 12 else { throw Unreadable() }
            let data = png[(offset + 8)..<(offset + 8 + length)]
            switch String(decoding: png[(offset + 4)..<(offset + 8)], as: UTF8.self) {
            case "IHDR": (width, height) = (Self.number(png, offset + 8), Self.number(png, offset + 12))
            case "IDAT": stream += data
            default: break
            }
            offset += 12 + length
        }
        var (rows, place) = ([UInt8](), 2)
        while stream.count - place >= 5, rows.count < (width + 1) * height {
            let length = Int(stream[place + 1]) | Int(stream[place + 2]) << 8
            guard length <= stream.count - place - 5 else { throw Unreadable() }
            rows += stream[(place + 5)..<(place + 5 + length)]
            place += 5 + length
        }
        guard width > 0, rows.count == (width + 1) * height else { throw Unreadable() }
        self.init(
            width: width, height: height,
            pixels: (0..<height).flatMap { rows[($0 * (width + 1) + 1)..<(($0 + 1) * (width + 1))] })
    }

    var png: [UInt8] {
        let rows = (0..<height).flatMap { [0] + pixels[($0 * width)..<(($0 + 1) * width)] }
        // zlib (RFC 1950) around stored blocks.
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: rows.count, by: Self.blockLimit) {
            let end = min(start + Self.blockLimit, rows.count)
            let length = UInt16(end - start)
            stream += [end == rows.count ? 1 : 0, UInt8(length & 0xFF), UInt8(length >> 8)]
            stream += [UInt8(~length & 0xFF), UInt8(~length >> 8)] + rows[start..<end]
        }
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in rows {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        stream += Self.bytes(b << 16 | a)
        let head = Self.bytes(UInt32(width)) + Self.bytes(UInt32(height)) + [8, 0, 0, 0, 0]
        return Self.signature + Self.chunk("IHDR", head) + Self.chunk("IDAT", stream) + Self.chunk("IEND", [])
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        var checksum = UInt32.max
        for byte in Array(type.utf8) + data {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return bytes(UInt32(data.count)) + Array(type.utf8) + data + bytes(~checksum)
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
}
