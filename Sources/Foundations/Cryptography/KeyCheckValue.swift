public import CardSecrets

/// The check value of a key: a few bytes by which two people, or a terminal and its host, see that they have the same
/// key. It may be shown.
public enum KeyCheckValue {
    /// What a key is for, which decides about its check value.
    public enum Cipher: String, CaseIterable, Hashable, Sendable {
        /// A block of zeros under the key (ANSI X9.24-1:2009 §7).
        case tripleDES = "tdes"
        /// The CMAC of a block of zeros (ANSI X9.24-1:2017 annex A).
        case aes
        /// The code of an empty message with SHA-256. There is no standard that all hosts follow.
        case hmac
    }

    /// The lengths of a check value, in bytes.
    public static let lengths = 2...5

    /// Returns the check value of `key` with the most bytes that anyone compares: 8. Use the leftmost ones.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)`` or a failure of libcrypto.
    public static func compute(_ key: borrowing SensitiveBytes, _ cipher: Cipher) throws(CryptographyError) -> [UInt8] {
        switch cipher {
        case .tripleDES:
            return try TripleDES.encrypt([UInt8](repeating: 0, count: TripleDES.blockLength), key: key)
        case .aes: return Array(try AESCMAC.mac([UInt8](repeating: 0, count: AES.blockLength), key: key).prefix(8))
        case .hmac: return Array(try HMAC.code([], key: key).prefix(8))
        }
    }
}
