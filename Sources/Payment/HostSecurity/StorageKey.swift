import CardSecrets
import Cryptography

extension HostKeys {
    /// The name of the key under which the till keeps card data that later messages need.
    public static let storageName = "storage"

    /// That key; nil without one.
    public var storage: HostKey? { self[Self.storageName] }
}

extension HostKey {
    /// Whether card data can be kept under the key: it is one of AES with 32 bytes. Of a key in a token, only the
    /// cipher is known.
    public var keepsCardData: Bool { cipher == .aes && (isInToken || bytes.count == AESGCM.keyLength) }

    /// Returns the CMAC of data under an AES key (NIST SP 800-38B), here or in the token of the key.
    ///
    /// - Parameter data: any number of bytes.
    /// - Returns: 16 bytes.
    /// - Throws: ``KeyUseError``
    public func cmac(of data: [UInt8]) async throws(KeyUseError) -> [UInt8] {
        guard let token else {
            do throws(CryptographyError) { return try AESCMAC.mac(data, key: bytes) } catch {
                throw .cryptography(error)
            }
        }
        do throws(TokenError) { return try await token.sign(data) } catch { throw .token(error) }
    }
}
