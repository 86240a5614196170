public import CardSecrets

/// Triple DES (NIST SP 800-67) and single DES (FIPS 46-3) over whole blocks of 8 bytes, without padding.
///
/// The length of the key chooses: 8 bytes single DES, 16 bytes two keys, 24 bytes three keys. Parity
/// bits are not looked at.
public enum TripleDES {
    /// Bytes a block.
    public static let blockLength = 8

    /// Enciphers block by block (ECB), or chained (CBC) when there is an initialisation vector of 8 bytes.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)``, ``CryptographyError/dataLength(_:algorithm:)``,
    ///   ``CryptographyError/initialisationVectorLength(_:algorithm:)``, or a failure of libcrypto.
    public static func encrypt(
        _ data: [UInt8], key: borrowing SensitiveBytes, initialisationVector: [UInt8]? = nil
    ) throws(CryptographyError) -> [UInt8] {
        let key = try Expanded(key)
        return try cipher(key, .encrypt, chained: initialisationVector != nil)
            .run(data, key: key.bytes, initialisationVector: initialisationVector)
    }

    /// Deciphers block by block (ECB), or chained (CBC) when there is an initialisation vector of 8 bytes.
    ///
    /// - Throws: as ``encrypt(_:key:initialisationVector:)-swift.type.method``.
    public static func decrypt(
        _ data: [UInt8], key: borrowing SensitiveBytes, initialisationVector: [UInt8]? = nil
    ) throws(CryptographyError) -> [UInt8] {
        let key = try Expanded(key)
        return try cipher(key, .decrypt, chained: initialisationVector != nil)
            .run(data, key: key.bytes, initialisationVector: initialisationVector)
    }

    /// Enciphers bytes that are themselves secret, such as a PIN block, block by block.
    ///
    /// - Throws: as for data that is no secret.
    public static func encrypt(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> SensitiveBytes {
        let key = try Expanded(key)
        return try cipher(key, .encrypt, chained: false).run(secret, key: key.bytes, initialisationVector: nil)
    }

    /// Deciphers block by block to bytes that are secret.
    ///
    /// - Throws: as for data that is no secret.
    public static func decrypt(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> SensitiveBytes {
        let key = try Expanded(key)
        return try cipher(key, .decrypt, chained: false).run(secret, key: key.bytes, initialisationVector: nil)
    }

    private static func cipher(
        _ key: borrowing Expanded, _ direction: BlockCipher.Direction, chained: Bool
    ) -> BlockCipher {
        let cipher: FetchedCipher =
            if key.bytes.count == 24 {
                chained ? .threeKeyTripleDESCBC : .threeKeyTripleDESECB
            } else {
                chained ? .twoKeyTripleDESCBC : .twoKeyTripleDESECB
            }
        return BlockCipher(cipher: cipher, blockLength: blockLength, direction: direction)
    }

    /// A key as libcrypto takes it. Its default provider has no single DES, which is triple DES under
    /// the same key twice: the decryption in the middle undoes the first step.
    private struct Expanded: ~Copyable {
        let bytes: SensitiveBytes

        init(_ key: borrowing SensitiveBytes) throws(CryptographyError) {
            switch key.count {
            case 8:
                var twice = key.withUnsafeBytes { [UInt8]($0) + [UInt8]($0) }
                bytes = SensitiveBytes(wiping: &twice)
            case 16, 24: bytes = key.duplicate()
            default: throw .keyLength(key.count, algorithm: "DES")
            }
        }
    }
}
