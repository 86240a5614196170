public import CardSecrets

/// AES (FIPS 197) over whole blocks of 16 bytes, without padding. Keys of 16, 24 or 32 bytes.
public enum AES {
    /// Bytes a block.
    public static let blockLength = 16

    /// Enciphers block by block (ECB), or chained (CBC) when there is an initialisation vector of 16 bytes.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)``, ``CryptographyError/dataLength(_:algorithm:)``,
    ///   ``CryptographyError/initialisationVectorLength(_:algorithm:)``, or a failure of libcrypto.
    public static func encrypt(
        _ data: [UInt8], key: borrowing SensitiveBytes, initialisationVector: [UInt8]? = nil
    ) throws(CryptographyError) -> [UInt8] {
        try cipher(key, .encrypt, chained: initialisationVector != nil)
            .run(data, key: key, initialisationVector: initialisationVector)
    }

    /// Deciphers block by block (ECB), or chained (CBC) when there is an initialisation vector of 16 bytes.
    ///
    /// - Throws: as for enciphering.
    public static func decrypt(
        _ data: [UInt8], key: borrowing SensitiveBytes, initialisationVector: [UInt8]? = nil
    ) throws(CryptographyError) -> [UInt8] {
        try cipher(key, .decrypt, chained: initialisationVector != nil)
            .run(data, key: key, initialisationVector: initialisationVector)
    }

    /// Enciphers bytes that are themselves secret, such as a PIN block, block by block.
    ///
    /// - Throws: as for data that is no secret.
    public static func encrypt(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> SensitiveBytes {
        try cipher(key, .encrypt, chained: false).run(secret, key: key, initialisationVector: nil)
    }

    /// Deciphers block by block to bytes that are secret.
    ///
    /// - Throws: as for data that is no secret.
    public static func decrypt(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> SensitiveBytes {
        try cipher(key, .decrypt, chained: false).run(secret, key: key, initialisationVector: nil)
    }

    private static func cipher(
        _ key: borrowing SensitiveBytes, _ direction: BlockCipher.Direction, chained: Bool
    ) throws(CryptographyError) -> BlockCipher {
        let cipher: FetchedCipher
        switch key.count {
        case 16: cipher = chained ? .aes128CBC : .aes128ECB
        case 24: cipher = chained ? .aes192CBC : .aes192ECB
        case 32: cipher = chained ? .aes256CBC : .aes256ECB
        default: throw .keyLength(key.count, algorithm: "AES")
        }
        return BlockCipher(cipher: cipher, blockLength: blockLength, direction: direction)
    }
}
