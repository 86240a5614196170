public import CardSecrets

/// HMAC, a message authentication code made of a hash function (RFC 2104, FIPS 198-1).
public enum HMAC {
    /// The hash function of a code.
    public enum Hash: Hashable, Sendable {
        case sha1, sha256

        /// The length of a block of both functions, in bytes (FIPS 180-4 figure 1).
        static let blockLength = 64

        func digest(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
            switch self {
            case .sha1: try SHA1.hash(message)
            case .sha256: try SHA256.hash(message)
            }
        }
    }

    /// Returns the code of `message`, 20 bytes with SHA-1 and 32 with SHA-256. The key has any length.
    ///
    /// - Throws: a failure of libcrypto.
    public static func code(
        _ message: [UInt8], key: [UInt8], hash: Hash = .sha256
    ) throws(CryptographyError) -> [UInt8] {
        var block = key.count > Hash.blockLength ? try hash.digest(key) : key
        block += [UInt8](repeating: 0, count: Hash.blockLength - block.count)
        let inner = try hash.digest(block.map { $0 ^ 0x36 } + message)
        return try hash.digest(block.map { $0 ^ 0x5C } + inner)
    }

    /// Returns the code of `message` under a secret key.
    ///
    /// - Throws: a failure of libcrypto.
    public static func code(
        _ message: [UInt8], key: borrowing SensitiveBytes, hash: Hash = .sha256
    ) throws(CryptographyError) -> [UInt8] {
        var bytes = key.withUnsafeBytes { [UInt8]($0) }
        defer { bytes.wipe() }
        if bytes.count > Hash.blockLength { bytes = try hash.digest(bytes) }
        bytes += [UInt8](repeating: 0, count: Hash.blockLength - bytes.count)
        var (inside, outside) = (bytes.map { $0 ^ 0x36 }, bytes.map { $0 ^ 0x5C })
        defer {
            inside.wipe()
            outside.wipe()
        }
        return try hash.digest(outside + hash.digest(inside + message))
    }
}
