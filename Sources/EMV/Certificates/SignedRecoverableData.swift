public import Cryptography

/// The content of an RSA signature with message recovery (EMV Book 2 annex A2.1): certificates and
/// signed application data have this layout.
public struct SignedRecoverableData: Hashable, Sendable {
    /// Why a signature was not opened.
    public enum Failure: Error, Hashable, Sendable {
        /// It is not as long as the modulus.
        case length(expected: Int, actual: Int)
        /// The last recovered byte is not BC.
        case trailer
        /// The first recovered byte is not 6A.
        case header
        /// Not below the modulus, or libcrypto failed.
        case cryptography(CryptographyError)
    }

    /// What stands between the header and the hash; its first byte tells the format.
    public let content: [UInt8]
    /// SHA-1 over the content and what is not recovered from the signature, 20 bytes.
    public let hash: [UInt8]

    /// Opens `signature` with the signer's public key and checks length, trailer and header, in this order.
    ///
    /// - Throws: ``Failure``
    public init(opening signature: [UInt8], with key: RSAPublicKey) throws(Failure) {
        guard signature.count == key.length else {
            throw .length(expected: key.length, actual: signature.count)
        }
        let recovered: [UInt8]
        do throws(CryptographyError) {
            recovered = try key.apply(signature)
        } catch {
            throw .cryptography(error)
        }
        guard recovered.last == 0xBC else { throw .trailer }
        guard recovered.first == 0x6A else { throw .header }
        content = Array(recovered.dropFirst().dropLast(1 + SHA1.length))
        hash = Array(recovered.dropLast().suffix(SHA1.length))
    }

    /// Whether the hash is that of the content followed by `rest`.
    ///
    /// - Throws: a failure of libcrypto.
    public func matches(_ rest: [UInt8]) throws(CryptographyError) -> Bool { try SHA1.hash(content + rest) == hash }
}
