/// The checksum at the end of a firmware file (DFU 1.1 appendix B): the CRC of Ethernet (polynomial 04C11DB7, reflected),
/// begun with ones and, unlike there, not inverted at its end.
enum DFUChecksum {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0xFFFF_FFFF) { crc, byte in crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
    }
}
