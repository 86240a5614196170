public import CardSecrets

/// CMAC with AES (NIST SP 800-38B, RFC 4493; ISO/IEC 9797-1 MAC algorithm 5).
public enum AESCMAC {
    /// The MAC of `message` as a whole block of 16 bytes; whoever wants less takes the leftmost ones.
    /// The key has 16, 24 or 32 bytes.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)`` or a failure of libcrypto.
    public static func mac(
        _ message: [UInt8], key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> [UInt8] {
        let zero = [UInt8](repeating: 0, count: AES.blockLength)
        var subkey = doubled(try AES.encrypt(zero, key: key))
        defer { subkey.wipe() }
        let isWhole = !message.isEmpty && message.count.isMultiple(of: AES.blockLength)
        if !isWhole { subkey = doubled(subkey) }
        var blocks =
            isWhole ? message : MACPadding.markerAndZeros.padded(message, blockLength: AES.blockLength)
        for (index, byte) in zip(blocks.indices.suffix(AES.blockLength), subkey) { blocks[index] ^= byte }
        return Array(try AES.encrypt(blocks, key: key, initialisationVector: zero).suffix(AES.blockLength))
    }

    /// The block times x in GF(2^128): one bit to the left, and 87 when a one falls out.
    private static func doubled(_ block: [UInt8]) -> [UInt8] {
        var doubled = zip(block, block.dropFirst() + [0]).map { $0 << 1 | $1 >> 7 }
        if let first = block.first, first & 0x80 != 0, let last = doubled.indices.last { doubled[last] ^= 0x87 }
        return doubled
    }
}
