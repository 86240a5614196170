import COpenSSL
public import CardSecrets

/// AES (FIPS 197) over whole blocks of 16 bytes, without padding. Keys of 16, 24 or 32 bytes.
public enum AES {
    /// The length of a block, in bytes.
    public static let blockLength = 16

    /// Enciphers block by block (ECB), or chained (CBC) when there is an initialization vector of 16 bytes.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)``, ``CryptographyError/dataLength(_:algorithm:)``,
    ///   ``CryptographyError/initializationVectorLength(_:algorithm:)``, or a failure of libcrypto.
    public static func encrypt(
        _ data: [UInt8], key: borrowing SensitiveBytes, initializationVector: [UInt8]? = nil
    ) throws(CryptographyError) -> [UInt8] {
        try cipher(key, .encrypt, chained: initializationVector != nil)
            .run(data, key: key, initializationVector: initializationVector)
    }

    /// Deciphers block by block (ECB), or chained (CBC) when there is an initialization vector of 16 bytes.
    ///
    /// - Throws: the same errors as for enciphering.
    public static func decrypt(
        _ data: [UInt8], key: borrowing SensitiveBytes, initializationVector: [UInt8]? = nil
    ) throws(CryptographyError) -> [UInt8] {
        try cipher(key, .decrypt, chained: initializationVector != nil)
            .run(data, key: key, initializationVector: initializationVector)
    }

    /// Enciphers secret bytes, such as a PIN block, block by block.
    ///
    /// - Throws: the same errors as for public data.
    public static func encrypt(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> SensitiveBytes {
        try cipher(key, .encrypt, chained: false).run(secret, key: key, initializationVector: nil)
    }

    /// Deciphers secret bytes block by block.
    ///
    /// - Throws: the same errors as for public data.
    public static func decrypt(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> SensitiveBytes {
        try cipher(key, .decrypt, chained: false).run(secret, key: key, initializationVector: nil)
    }

    private static func cipher(
        _ key: borrowing SensitiveBytes, _ direction: BlockCipher.Direction, chained: Bool
    ) throws(CryptographyError) -> BlockCipher {
        let cipher: FetchedCipher
        switch key.count {
        case 16: cipher = chained ? .aes128CBC : .aes128ECB
        case 24: cipher = chained ? .aes192CBC : .aes192ECB
        case 32: cipher = chained ? .aes256CBC : .aes256ECB
        default: throw .keyLength(key.count, algorithm: "AES")
        }
        return BlockCipher(cipher: cipher, blockLength: blockLength, direction: direction)
    }
}

/// AES in counter mode (NIST SP 800-38A §6.5). Enciphering and deciphering are the same operation.
///
/// A counter must never be used for two messages under one key: the exclusive or of the two would be in the open.
public enum AESCTR {
    /// Enciphers or deciphers `data` of any length.
    ///
    /// - Parameters:
    ///   - data: the plain text or the ciphertext.
    ///   - key: 16, 24, or 32 bytes.
    ///   - counter: the first counter block, 16 bytes, big-endian; it counts up by one for every 16 bytes of data.
    /// - Returns: as many bytes as `data` has.
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)``,
    ///   ``CryptographyError/initializationVectorLength(_:algorithm:)``, or a failure of libcrypto.
    public static func apply(
        _ data: [UInt8], key: borrowing SensitiveBytes, counter: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        var stream = try keyStream(data.count, key, counter)
        defer { stream.wipe() }
        return zip(data, stream).map { $0 ^ $1 }
    }

    /// Enciphers or deciphers secret bytes.
    ///
    /// - Throws: the same errors as for public data.
    public static func apply(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes, counter: [UInt8]
    ) throws(CryptographyError) -> SensitiveBytes {
        var stream = try keyStream(secret.count, key, counter)
        defer { stream.wipe() }
        return secret.exclusiveOr(stream)
    }

    /// Returns at least `count` bytes, in whole blocks.
    private static func keyStream(
        _ count: Int, _ key: borrowing SensitiveBytes, _ counter: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        guard counter.count == AES.blockLength else {
            throw .initializationVectorLength(counter.count, algorithm: "AES-CTR")
        }
        var block = counter
        var blocks: [UInt8] = []
        blocks.reserveCapacity(count + AES.blockLength)
        while blocks.count < count {
            blocks += block
            for index in block.indices.reversed() {
                block[index] &+= 1
                if block[index] != 0 { break }
            }
        }
        return try AES.encrypt(blocks, key: key)
    }
}

/// Triple DES (NIST SP 800-67) and single DES (FIPS 46-3) over whole blocks of 8 bytes, without padding.
///
/// The length of the key selects the algorithm: 8 bytes for single DES, 16 bytes for two keys, 24 bytes for three keys.
/// Parity bits are ignored.
public enum TripleDES {
    /// The length of a block, in bytes.
    public static let blockLength = 8

    /// Enciphers block by block (ECB), or chained (CBC) when there is an initialization vector of 8 bytes.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)``, ``CryptographyError/dataLength(_:algorithm:)``,
    ///   ``CryptographyError/initializationVectorLength(_:algorithm:)``, or a failure of libcrypto.
    public static func encrypt(
        _ data: [UInt8], key: borrowing SensitiveBytes, initializationVector: [UInt8]? = nil
    ) throws(CryptographyError) -> [UInt8] {
        let key = try Expanded(key)
        return try cipher(key, .encrypt, chained: initializationVector != nil)
            .run(data, key: key.bytes, initializationVector: initializationVector)
    }

    /// Deciphers block by block (ECB), or chained (CBC) when there is an initialization vector of 8 bytes.
    ///
    /// - Throws: as ``encrypt(_:key:initializationVector:)-swift.type.method``.
    public static func decrypt(
        _ data: [UInt8], key: borrowing SensitiveBytes, initializationVector: [UInt8]? = nil
    ) throws(CryptographyError) -> [UInt8] {
        let key = try Expanded(key)
        return try cipher(key, .decrypt, chained: initializationVector != nil)
            .run(data, key: key.bytes, initializationVector: initializationVector)
    }

    /// Enciphers secret bytes, such as a PIN block, block by block.
    ///
    /// - Throws: the same errors as for public data.
    public static func encrypt(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> SensitiveBytes {
        let key = try Expanded(key)
        return try cipher(key, .encrypt, chained: false).run(secret, key: key.bytes, initializationVector: nil)
    }

    /// Deciphers secret bytes block by block.
    ///
    /// - Throws: the same errors as for public data.
    public static func decrypt(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes
    ) throws(CryptographyError) -> SensitiveBytes {
        let key = try Expanded(key)
        return try cipher(key, .decrypt, chained: false).run(secret, key: key.bytes, initializationVector: nil)
    }

    private static func cipher(
        _ key: borrowing Expanded, _ direction: BlockCipher.Direction, chained: Bool
    ) -> BlockCipher {
        let cipher: FetchedCipher =
            if key.bytes.count == 24 {
                chained ? .threeKeyTripleDESCBC : .threeKeyTripleDESECB
            } else {
                chained ? .twoKeyTripleDESCBC : .twoKeyTripleDESECB
            }
        return BlockCipher(cipher: cipher, blockLength: blockLength, direction: direction)
    }

    /// A key as libcrypto takes it. Its default provider has no single DES, which is triple DES under
    /// the same key twice: the decryption in the middle undoes the first step.
    private struct Expanded: ~Copyable {
        let bytes: SensitiveBytes

        init(_ key: borrowing SensitiveBytes) throws(CryptographyError) {
            switch key.count {
            case 8:
                var twice = key.withUnsafeBytes { [UInt8]($0) + [UInt8]($0) }
                bytes = SensitiveBytes(wiping: &twice)
            case 16, 24: bytes = key.duplicate()
            default: throw .keyLength(key.count, algorithm: "DES")
            }
        }
    }
}

/// A run of a block cipher over whole blocks, without padding.
struct BlockCipher {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    let cipher: FetchedCipher
    /// Bytes a block: 8 or 16.
    let blockLength: Int
    let direction: Direction

    /// The initialization vector is one block in cipher block chaining, nil in electronic codebook.
    func run(
        _ data: [UInt8], key: borrowing SensitiveBytes, initializationVector: [UInt8]?
    ) throws(CryptographyError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: data.count)
        try data.withUnsafeBytesTyped { (input) throws(CryptographyError) in
            try run(input, into: &output, key: key, initializationVector: initializationVector)
        }
        return output
    }

    func run(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes, initializationVector: [UInt8]?
    ) throws(CryptographyError) -> SensitiveBytes {
        var output = [UInt8](repeating: 0, count: secret.count)
        defer { output.wipe() }
        try secret.withUnsafeBytes { (input) throws(CryptographyError) in
            try run(input, into: &output, key: key, initializationVector: initializationVector)
        }
        return SensitiveBytes(output)
    }

    private func run(
        _ input: UnsafeRawBufferPointer, into output: inout [UInt8], key: borrowing SensitiveBytes,
        initializationVector: [UInt8]?
    ) throws(CryptographyError) {
        guard input.count.isMultiple(of: blockLength), let count = Int32(exactly: input.count) else {
            throw .dataLength(input.count, algorithm: cipher.name)
        }
        if let initializationVector, initializationVector.count != blockLength {
            throw .initializationVectorLength(initializationVector.count, algorithm: cipher.name)
        }
        guard count > 0 else { return }
        guard let handle = cipher.handle else { throw .unavailable(cipher.name) }
        guard let context = EVP_CIPHER_CTX_new() else { throw .libraryFailure(cipher.name) }
        // Freeing a context overwrites the key schedule in it.
        defer { EVP_CIPHER_CTX_free(context) }
        let succeeded = key.withUnsafeBytes { key in
            output.withUnsafeMutableBufferPointer { output in
                var written: Int32 = 0
                return EVP_CipherInit_ex2(
                    context, handle, key.bindMemory(to: UInt8.self).baseAddress, initializationVector,
                    direction.rawValue, nil) == 1
                    && EVP_CIPHER_CTX_set_padding(context, 0) == 1
                    && EVP_CipherUpdate(
                        context, output.baseAddress, &written, input.bindMemory(to: UInt8.self).baseAddress,
                        count) == 1
                    && written == count
            }
        }
        guard succeeded else { throw .libraryFailure(cipher.name) }
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` with a typed error.
    fileprivate func withUnsafeBytesTyped<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
    }
}

/// A cipher of libcrypto's default provider, fetched once per process: fetching it takes longer than enciphering a
/// block.
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
    static let aes256GCM = FetchedCipher("AES-256-GCM")
}
