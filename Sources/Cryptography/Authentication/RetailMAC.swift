public import CardSecrets

/// The retail MAC: ISO/IEC 9797-1 MAC algorithm 3 with DES, as EMV Book 2 annex A1.2.1 uses it.
public enum RetailMAC {
    /// The MAC of `message` as a whole block of 8 bytes; whoever wants less takes the leftmost ones.
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
            Array(padded.dropLast(TripleDES.blockLength)), key: left, initialisationVector: zero)
        let chaining = chained.isEmpty ? zero : Array(chained.suffix(TripleDES.blockLength))
        let last = zip(padded.suffix(TripleDES.blockLength), chaining).map { $0 ^ $1 }
        return try TripleDES.encrypt(last, key: key)
    }
}
