internal import Cryptography

/// Signs with message recovery (EMV Book 2 annex A2.1): header 6A, data, hash, trailer BC, as long as the modulus.
enum RecoverableSignature {
    /// How many bytes of data a signature under a key of this many bytes has room for.
    static func room(signerLength: Int) -> Int { max(0, signerLength - 2 - SHA1.length) }

    /// - Parameters:
    ///   - data: what can be recovered from the signature; filled with BB on the right.
    ///   - rest: what the hash covers besides.
    ///   - signer: whose signature it is.
    ///   - hasWrongHash: whether the hash is spoilt.
    /// - Returns: the signature.
    /// - Throws: ``CryptographyError/dataLength(_:algorithm:)`` when there is no room for the data; a failure of
    ///   libcrypto.
    static func sign(
        _ data: [UInt8], rest: [UInt8], with signer: RSAPrivateKey, hasWrongHash: Bool = false
    ) throws(CryptographyError) -> [UInt8] {
        let room = room(signerLength: signer.length)
        guard data.count <= room else { throw .dataLength(data.count, algorithm: "a signature with message recovery") }
        let content = data + [UInt8](repeating: 0xBB, count: room - data.count)
        var hash = try SHA1.hash(content + rest)
        if hasWrongHash { hash[0] ^= 0xFF }
        return try signer.apply([0x6A] + content + hash + [0xBC])
    }
}
