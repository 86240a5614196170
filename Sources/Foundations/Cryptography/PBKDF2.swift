import COpenSSL
public import CardSecrets

/// Makes keys from a passphrase (PBKDF2 with HMAC, RFC 8018 §5.2).
public enum PBKDF2 {
    /// Derives key bytes.
    ///
    /// - Parameters:
    ///   - passphrase: the bytes of the passphrase.
    ///   - salt: any bytes.
    ///   - rounds: the iteration count, at least 1.
    ///   - count: the number of bytes to derive, at least 1.
    ///   - hash: the hash function of the HMAC.
    /// - Returns: `count` bytes.
    /// - Throws: ``CryptographyError/dataLength(_:algorithm:)`` for a count or a number of rounds below 1, or a failure
    ///   of libcrypto.
    public static func derive(
        _ passphrase: borrowing SensitiveBytes, salt: [UInt8], rounds: Int, count: Int, hash: HMAC.Hash
    ) throws(CryptographyError) -> SensitiveBytes {
        let name = "PBKDF2"
        let digest: FetchedDigest =
            switch hash {
            case .sha1: .sha1
            case .sha256: .sha256
            }
        guard let handle = digest.handle else { throw .unavailable(digest.name) }
        guard count > 0, let wanted = Int32(exactly: count) else { throw .dataLength(count, algorithm: name) }
        guard rounds > 0, let iterations = Int32(exactly: rounds) else { throw .dataLength(rounds, algorithm: name) }
        guard let length = Int32(exactly: passphrase.count), let saltLength = Int32(exactly: salt.count) else {
            throw .dataLength(passphrase.count, algorithm: name)
        }
        var succeeded = false
        let derived = SensitiveBytes(count: count) { output in
            succeeded = passphrase.withUnsafeBytes { input in
                PKCS5_PBKDF2_HMAC(
                    input.bindMemory(to: CChar.self).baseAddress, length, salt, saltLength, iterations, handle, wanted,
                    output.bindMemory(to: UInt8.self).baseAddress) == 1
            }
        }
        guard succeeded else { throw .libraryFailure(name) }
        return derived
    }
}
