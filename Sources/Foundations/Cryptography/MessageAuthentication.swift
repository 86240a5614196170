public import CardSecrets

/// The padding of a message to whole blocks before its MAC is computed (ISO/IEC 9797-1 §6.3).
public enum MACPadding: Hashable, Sendable {
    /// Method 1: bytes 00 up to a whole block, none when the message already has whole blocks. An empty
    /// message becomes one block of 00.
    case zeros
    /// Method 2: a byte 80, then bytes 00 up to a whole block.
    case markerAndZeros

    /// Returns the message with its padding: whole blocks of `blockLength` bytes, at least one.
    public func padded(_ message: [UInt8], blockLength: Int) -> [UInt8] {
        var padded = message
        if self == .markerAndZeros { padded.append(0x80) }
        let missing = (blockLength - padded.count % blockLength) % blockLength
        padded.append(contentsOf: repeatElement(0, count: padded.isEmpty ? blockLength : missing))
        return padded
    }
}

/// CMAC with AES (NIST SP 800-38B, RFC 4493; ISO/IEC 9797-1 MAC algorithm 5).
public enum AESCMAC {
    /// Returns the MAC of `message`, 16 bytes. For a shorter MAC, use its leftmost bytes.
    /// The key has 16, 24 or 32 bytes.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)`` or a failure of libcrypto.
    public static func mac(
        _ message: [UInt8], key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> [UInt8] {
        let zero = [UInt8](repeating: 0, count: AES.blockLength)
        var first = try AES.encrypt(zero, key: key)
        defer { first.wipe() }
        var blocks = CMACBlocks.masked(message, with: first, feedback: 0x87)
        defer { blocks.wipe() }
        return Array(try AES.encrypt(blocks, key: key, initializationVector: zero).suffix(AES.blockLength))
    }
}

/// CMAC with triple DES (NIST SP 800-38B; ISO/IEC 9797-1 MAC algorithm 5).
public enum TripleDESCMAC {
    /// Returns the MAC of `message`, 8 bytes. For a shorter MAC, use its leftmost bytes.
    /// The key has 16 or 24 bytes.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)`` or a failure of libcrypto.
    public static func mac(
        _ message: [UInt8], key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> [UInt8] {
        let zero = [UInt8](repeating: 0, count: TripleDES.blockLength)
        var first = try TripleDES.encrypt(zero, key: key)
        defer { first.wipe() }
        let blocks = CMACBlocks.masked(message, with: first, feedback: 0x1B)
        return Array(
            try TripleDES.encrypt(blocks, key: key, initializationVector: zero).suffix(TripleDES.blockLength))
    }
}

/// What both forms of CMAC have in common.
private enum CMACBlocks {
    /// Returns the message in whole blocks, the last one under a subkey (SP 800-38B §6.2). `first` is a block of zeros
    /// under the key, 8 or 16 bytes; `feedback` is added when a one falls out of a doubled block.
    static func masked(_ message: [UInt8], with first: [UInt8], feedback: UInt8) -> [UInt8] {
        let length = first.count
        var subkey = doubled(first, feedback)
        defer { subkey.wipe() }
        let isWhole = !message.isEmpty && message.count.isMultiple(of: length)
        if !isWhole { subkey = doubled(subkey, feedback) }
        var blocks = isWhole ? message : MACPadding.markerAndZeros.padded(message, blockLength: length)
        for (index, byte) in zip(blocks.indices.suffix(length), subkey) { blocks[index] ^= byte }
        return blocks
    }

    /// The block times x in GF(2^64) or GF(2^128): one bit to the left, and the feedback when a one falls out.
    private static func doubled(_ block: [UInt8], _ feedback: UInt8) -> [UInt8] {
        var doubled = zip(block, block.dropFirst() + [0]).map { $0 << 1 | $1 >> 7 }
        if let first = block.first, first & 0x80 != 0, let last = doubled.indices.last { doubled[last] ^= feedback }
        return doubled
    }
}

/// ISO/IEC 9797-1 MAC algorithm 1 with triple DES: the last block of cipher block chaining. With a key whose halves are
/// the same, it is that of single DES (ANSI X9.9).
public enum ChainedMAC {
    /// Returns the MAC of `message`, 8 bytes. For a shorter MAC, use its leftmost bytes. The key has 8, 16, or 24
    /// bytes.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)`` or a failure of libcrypto.
    public static func mac(
        _ message: [UInt8], key: borrowing SensitiveBytes, padding: MACPadding
    ) throws(CryptographyError) -> [UInt8] {
        let padded = padding.padded(message, blockLength: TripleDES.blockLength)
        let zero = [UInt8](repeating: 0, count: TripleDES.blockLength)
        return Array(
            try TripleDES.encrypt(padded, key: key, initializationVector: zero).suffix(TripleDES.blockLength))
    }
}

/// The retail MAC: ISO/IEC 9797-1 MAC algorithm 3 with DES, as EMV Book 2 annex A1.2.1 uses it.
public enum RetailMAC {
    /// Returns the MAC of `message`, 8 bytes. For a shorter MAC, use its leftmost bytes.
    /// The key has 16 bytes; 8 bytes give MAC algorithm 1, single DES throughout.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)`` or a failure of libcrypto.
    public static func mac(
        _ message: [UInt8], key: borrowing SensitiveBytes, padding: MACPadding
    ) throws(CryptographyError) -> [UInt8] {
        guard key.count == 16 || key.count == 8 else { throw .keyLength(key.count, algorithm: "retail MAC") }
        let padded = padding.padded(message, blockLength: TripleDES.blockLength)
        let left = key.part(0..<8)
        let zero = [UInt8](repeating: 0, count: TripleDES.blockLength)
        // Single DES chains all blocks but the last. The last step, then a decryption under the right
        // half and an encryption under the left one, are together one triple DES step.
        let chained = try TripleDES.encrypt(
            Array(padded.dropLast(TripleDES.blockLength)), key: left, initializationVector: zero)
        let chaining = chained.isEmpty ? zero : Array(chained.suffix(TripleDES.blockLength))
        let last = zip(padded.suffix(TripleDES.blockLength), chaining).map { $0 ^ $1 }
        return try TripleDES.encrypt(last, key: key)
    }
}
