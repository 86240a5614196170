/// A size of a QR code at error correction level M (ISO/IEC 18004, tables 7 and 9, annex E).
struct QRVersion {
    /// The number of check codewords per block, for versions 1 to 40.
    private static let checkLengths = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28,
        28,
        28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ]
    /// The number of blocks, for versions 1 to 40.
    private static let blockCounts = [
        1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31,
        33,
        35, 37, 38, 40, 43, 45, 47, 49,
    ]

    static let all = zip(checkLengths, blockCounts).enumerated().map { index, lengths in
        QRVersion(number: index + 1, checkLength: lengths.0, blockCount: lengths.1)
    }

    let number: Int
    /// The number of check codewords per block.
    let checkLength: Int
    let blockCount: Int

    /// Returns the smallest version for this number of bytes; nil when none is large enough.
    static func holding(_ count: Int) -> QRVersion? { all.first { $0.capacity >= count } }

    /// Returns the largest version with at most this number of modules per side; nil when there is none.
    static func fitting(side: Int) -> QRVersion? { all.last { $0.side <= side } }

    /// Modules per side, without the quiet zone.
    var side: Int { 4 * number + 17 }

    /// The centers of the alignment patterns, in both directions. Their distances are equal and even, except for the
    /// first one.
    var alignmentCenters: [Int] {
        guard number > 1 else { return [] }
        let count = number / 7 + 2
        let step = (number * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<(count - 1)).map { side - 7 - (count - 2 - $0) * step }
    }

    /// The total number of codewords, including check codewords.
    private var codewordCount: Int {
        var modules = (16 * number + 128) * number + 64
        if number > 1 {
            let count = number / 7 + 2
            modules -= (25 * count - 10) * count - 55
            // The two fields with the version number.
            if number >= 7 { modules -= 36 }
        }
        return modules / 8
    }

    private var dataLength: Int { codewordCount - blockCount * checkLength }

    /// The bits of the length field.
    private var lengthBits: Int { number < 10 ? 8 : 16 }

    /// The maximum number of bytes in byte mode.
    var capacity: Int { dataLength - (4 + lengthBits + 7) / 8 }

    /// Returns all codewords of a text of at most ``capacity`` bytes, in drawing order.
    func codewords(_ bytes: [UInt8]) -> [UInt8] { interleaved(data(bytes)) }

    /// Returns the data codewords: mode 0100, length, bytes, terminator 0000, and padding.
    private func data(_ bytes: [UInt8]) -> [UInt8] {
        var nibbles: [UInt8] = [0x4]
        for shift in stride(from: lengthBits - 4, through: 0, by: -4) {
            nibbles.append(UInt8(bytes.count >> shift & 0x0F))
        }
        for byte in bytes { nibbles += [byte >> 4, byte & 0x0F] }
        nibbles.append(0)
        var data = stride(from: 0, to: nibbles.count - 1, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
        var filling: UInt8 = 0xEC
        while data.count < dataLength {
            data.append(filling)
            filling ^= 0xEC ^ 0x11
        }
        return data
    }

    /// Interleaves the data of all blocks, followed by their check codewords. The last blocks may have one more
    /// codeword.
    private func interleaved(_ data: [UInt8]) -> [UInt8] {
        let (length, longer) = (dataLength / blockCount, dataLength % blockCount)
        var blocks: [ArraySlice<UInt8>] = []
        var start = 0
        for index in 0..<blockCount {
            let end = start + length + (index >= blockCount - longer ? 1 : 0)
            blocks.append(data[start..<end])
            start = end
        }
        let generator = ReedSolomon(checkLength: checkLength)
        let checks = blocks.map { generator.check(of: $0) }
        return (0...length).flatMap { index in blocks.compactMap { index < $0.count ? $0[$0.startIndex + index] : nil }
        }
            + (0..<checkLength).flatMap { index in checks.map { $0[index] } }
    }
}
