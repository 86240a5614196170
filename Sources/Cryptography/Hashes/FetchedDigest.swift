internal import COpenSSL

/// A hash function of libcrypto's default provider, looked up once for the whole process.
final class FetchedDigest: Sendable {
    let name: String
    /// Bytes of a digest.
    let length: Int
    // An EVP_MD is immutable once fetched, counts its references atomically and is meant to be shared
    // by threads. It is never freed, as it lives as long as the process.
    private nonisolated(unsafe) let handle: OpaquePointer?

    private init(_ name: String, length: Int) {
        (self.name, self.length) = (name, length)
        handle = EVP_MD_fetch(nil, name, nil)
    }

    static let sha1 = FetchedDigest("SHA1", length: 20)
    static let sha256 = FetchedDigest("SHA256", length: 32)

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
