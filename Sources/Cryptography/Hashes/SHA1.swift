public import CardSecrets

/// SHA-1 (FIPS 180-4), the hash of EMV's certificates, key checksums and transaction data hashes.
public enum SHA1 {
    /// Bytes of a digest.
    public static let length = 20

    /// The digest of `message`, 20 bytes.
    ///
    /// - Throws: a failure of libcrypto.
    public static func hash(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try message.withUnsafeBufferPointer { (buffer) throws(CryptographyError) in
            try FetchedDigest.sha1.digest(UnsafeRawBufferPointer(buffer))
        }
    }

    /// The digest of a message that is itself secret, 20 bytes.
    ///
    /// - Throws: a failure of libcrypto.
    public static func hash(_ secret: borrowing SensitiveBytes) throws(CryptographyError) -> [UInt8] {
        try secret.withUnsafeBytes { (buffer) throws(CryptographyError) in try FetchedDigest.sha1.digest(buffer) }
    }
}
