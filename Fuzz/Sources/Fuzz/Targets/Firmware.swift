import DFU

extension FuzzTarget {
    /// Firmware files. If the first byte is odd, the checksum is corrected, so that the content before it is parsed.
    static let firmware = FuzzTarget(
        "dfu-file", longestInput: 300,
        seeds: {
            let files = [
                DFUFile(firmware: Array("hello firmware".utf8), vendorID: 0x1209, productID: 0x000D, release: 0x0234),
                DFUFile(firmware: [0], vendorID: nil, productID: nil, release: nil),
            ].map(\.encoded)
            // A suffix of 18 bytes, and the suffix of a DfuSe file, which has another format.
            var long = files[0]
            long[long.count - 5] = 18
            var other = files[0]
            other[other.count - 10] = 0x1A
            return (files + [long, other]).flatMap { [[0] + $0, [1] + $0] }
        },
        run: { bytes in
            guard let choice = bytes.first else { return }
            var bytes = Array(bytes.dropFirst())
            if choice & 1 == 1, bytes.count >= 4 {
                let checksum = checksum(bytes.dropLast(4))
                for index in 0..<4 as Range<UInt32> {
                    bytes[bytes.count - 4 + Int(index)] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
                }
            }
            let file = try DFUFile(parsing: bytes)
            hold(!file.firmware.isEmpty && file.firmware.count <= bytes.count - 16, "a file has firmware and a suffix")
            hold(bytes.starts(with: file.firmware), "the firmware is the beginning of the file")
            same(try DFUFile(parsing: file.encoded), file, "a file is read as it is written")
        })

    /// CRC-32 of IEEE 802.3, bit by bit, not inverted at the end (DFU 1.1 appendix B).
    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(0xFFFF_FFFF) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
        }
    }
}
