internal import COpenSSL

/// A cipher of libcrypto's default provider, looked up once for the whole process: a look-up by name
/// costs more than enciphering a block.
final class FetchedCipher: Sendable {
    let name: String
    // An EVP_CIPHER is immutable once fetched, counts its references atomically and is meant to be
    // shared by threads. It is never freed, as it lives as long as the process.
    nonisolated(unsafe) let handle: OpaquePointer?

    private init(_ name: String) {
        self.name = name
        handle = EVP_CIPHER_fetch(nil, name, nil)
    }

    static let twoKeyTripleDESECB = FetchedCipher("DES-EDE-ECB")
    static let twoKeyTripleDESCBC = FetchedCipher("DES-EDE-CBC")
    static let threeKeyTripleDESECB = FetchedCipher("DES-EDE3-ECB")
    static let threeKeyTripleDESCBC = FetchedCipher("DES-EDE3-CBC")
    static let aes128ECB = FetchedCipher("AES-128-ECB")
    static let aes128CBC = FetchedCipher("AES-128-CBC")
    static let aes192ECB = FetchedCipher("AES-192-ECB")
    static let aes192CBC = FetchedCipher("AES-192-CBC")
    static let aes256ECB = FetchedCipher("AES-256-ECB")
    static let aes256CBC = FetchedCipher("AES-256-CBC")
}
