/// Packs bytes as gzip does, without making them shorter (RFC 1952, RFC 1951 §3.2.4).
enum Gzip {
    static func packed(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            result.append(rest.isEmpty ? 1 : 0)
            result += [UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
            result += block
        } while !rest.isEmpty
        return result + little(checksum(bytes)) + little(UInt32(bytes.count))
    }

    private static func little(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
