public import CardSecrets

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// Bytes of a digest.
    public static let length = 32

    /// The digest of `message`, 32 bytes.
    ///
    /// - Throws: a failure of libcrypto.
    public static func hash(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try message.withUnsafeBufferPointer { (buffer) throws(CryptographyError) in
            try FetchedDigest.sha256.digest(UnsafeRawBufferPointer(buffer))
        }
    }

    /// The digest of a message that is itself secret, 32 bytes.
    ///
    /// - Throws: a failure of libcrypto.
    public static func hash(_ secret: borrowing SensitiveBytes) throws(CryptographyError) -> [UInt8] {
        try secret.withUnsafeBytes { (buffer) throws(CryptographyError) in try FetchedDigest.sha256.digest(buffer) }
    }
}
