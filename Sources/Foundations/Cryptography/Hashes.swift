import COpenSSL
public import CardSecrets

/// SHA-1 (FIPS 180-4), the hash of EMV's certificates, key checksums and transaction data hashes.
public enum SHA1 {
    /// The length of a digest, in bytes.
    public static let length = 20

    /// Returns the digest of `message`, 20 bytes.
    ///
    /// - Throws: a failure of libcrypto.
    public static func hash(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try message.withUnsafeBufferPointer { (buffer) throws(CryptographyError) in
            try FetchedDigest.sha1.digest(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Returns the digest of a secret message, 20 bytes.
    ///
    /// - Throws: a failure of libcrypto.
    public static func hash(_ secret: borrowing SensitiveBytes) throws(CryptographyError) -> [UInt8] {
        try secret.withUnsafeBytes { (buffer) throws(CryptographyError) in try FetchedDigest.sha1.digest(buffer) }
    }
}

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The length of a digest, in bytes.
    public static let length = 32

    /// Returns the digest of `message`, 32 bytes.
    ///
    /// - Throws: a failure of libcrypto.
    public static func hash(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try message.withUnsafeBufferPointer { (buffer) throws(CryptographyError) in
            try FetchedDigest.sha256.digest(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Returns the digest of a secret message, 32 bytes.
    ///
    /// - Throws: a failure of libcrypto.
    public static func hash(_ secret: borrowing SensitiveBytes) throws(CryptographyError) -> [UInt8] {
        try secret.withUnsafeBytes { (buffer) throws(CryptographyError) in try FetchedDigest.sha256.digest(buffer) }
    }
}

/// SHA-512 (FIPS 180-4), the hash of signatures with the curve P-521 (EMV Book E).
public enum SHA512 {
    /// The length of a digest, in bytes.
    public static let length = 64

    /// Returns the digest of `message`, 64 bytes.
    ///
    /// - Throws: a failure of libcrypto.
    public static func hash(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try message.withUnsafeBufferPointer { (buffer) throws(CryptographyError) in
            try FetchedDigest.sha512.digest(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Returns the digest of a secret message, 64 bytes.
    ///
    /// - Throws: a failure of libcrypto.
    public static func hash(_ secret: borrowing SensitiveBytes) throws(CryptographyError) -> [UInt8] {
        try secret.withUnsafeBytes { (buffer) throws(CryptographyError) in try FetchedDigest.sha512.digest(buffer) }
    }
}

/// A hash function of libcrypto's default provider, fetched once per process.
final class FetchedDigest: Sendable {
    let name: String
    /// The length of a digest, in bytes.
    let length: Int
    // An EVP_MD is immutable once fetched, counts its references atomically and is meant to be shared
    // by threads. It is never freed, as it lives as long as the process.
    nonisolated(unsafe) let handle: OpaquePointer?

    private init(_ name: String, length: Int) {
        (self.name, self.length) = (name, length)
        handle = EVP_MD_fetch(nil, name, nil)
    }

    static let sha1 = FetchedDigest("SHA1", length: 20)
    static let sha256 = FetchedDigest("SHA256", length: 32)
    static let sha512 = FetchedDigest("SHA512", length: 64)

    func digest(_ message: UnsafeRawBufferPointer) throws(CryptographyError) -> [UInt8] {
        guard let handle else { throw .unavailable(name) }
        var digest = [UInt8](repeating: 0, count: length)
        var written: UInt32 = 0
        // libcrypto refuses a nil pointer even with a length of zero on some paths.
        var nothing: UInt8 = 0
        let succeeded =
            if let start = message.baseAddress {
                EVP_Digest(start, message.count, &digest, &written, handle, nil) == 1
            } else {
                EVP_Digest(&nothing, 0, &digest, &written, handle, nil) == 1
            }
        guard succeeded, written == digest.count else { throw .libraryFailure(name) }
        return digest
    }
}
