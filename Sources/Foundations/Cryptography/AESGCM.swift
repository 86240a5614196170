import COpenSSL
public import CardSecrets

/// AES-256 in Galois/counter mode (NIST SP 800-38D): enciphers, and proves that neither the data nor what goes with it
/// was changed. A key never gets the same nonce twice.
public enum AESGCM {
    /// The length of a key, in bytes.
    public static let keyLength = 32
    /// The length of a nonce, in bytes.
    public static let nonceLength = 12
    /// The length of the tag behind the data, in bytes.
    public static let tagLength = 16

    /// Enciphers a secret.
    ///
    /// - Parameters:
    ///   - secret: the bytes, any number.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes that no other use of the key has.
    ///   - context: what the data belongs to. It is not in the result, and has to be the same to decipher it.
    /// - Returns: the enciphered bytes, as many as those of the secret, and behind them the tag, 16 bytes.
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)``,
    ///   ``CryptographyError/initializationVectorLength(_:algorithm:)``, or a failure of libcrypto.
    public static func seal(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes, nonce: [UInt8], context: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        let run = try Run(.encrypt, key: key, nonce: nonce, context: context)
        var output = [UInt8](repeating: 0, count: secret.count + tagLength)
        let succeeded = secret.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { output in
                guard run.update(input, output.baseAddress), run.finish(output.baseAddress) else { return false }
                // The tag stands behind the data.
                let tag = output.baseAddress.map { $0 + input.count }
                return EVP_CIPHER_CTX_ctrl(run.handle, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), tag) == 1
            }
        }
        guard succeeded else { throw .libraryFailure(FetchedCipher.aes256GCM.name) }
        return output
    }

    /// Deciphers what ``seal(_:key:nonce:context:)`` returned.
    ///
    /// - Parameters:
    ///   - sealed: the enciphered bytes and their tag.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes.
    ///   - context: what the data belongs to.
    /// - Returns: the secret.
    /// - Throws: ``CryptographyError/notAuthentic`` when anything of the four is another one,
    ///   ``CryptographyError/keyLength(_:algorithm:)``,
    ///   ``CryptographyError/initializationVectorLength(_:algorithm:)``, or a failure of libcrypto.
    public static func open(
        _ sealed: [UInt8], key: borrowing SensitiveBytes, nonce: [UInt8], context: [UInt8]
    ) throws(CryptographyError) -> SensitiveBytes {
        guard sealed.count >= tagLength else { throw .notAuthentic }
        let run = try Run(.decrypt, key: key, nonce: nonce, context: context)
        var tag = Array(sealed.suffix(tagLength))
        let data = Array(sealed.dropLast(tagLength))
        guard
            tag.withUnsafeMutableBytes({
                EVP_CIPHER_CTX_ctrl(run.handle, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), $0.baseAddress) == 1
            })
        else { throw .libraryFailure(FetchedCipher.aes256GCM.name) }
        // One byte more, so that there is an address also without data.
        var output = [UInt8](repeating: 0, count: data.count + 1)
        defer { output.wipe() }
        let isAuthentic = data.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { run.update(input, $0.baseAddress) && run.finish($0.baseAddress) }
        }
        guard isAuthentic else { throw .notAuthentic }
        return SensitiveBytes(output.prefix(data.count))
    }

    /// A context of libcrypto with key, nonce, and what the data belongs to.
    private final class Run {
        let handle: OpaquePointer

        init(
            _ direction: BlockCipher.Direction, key: borrowing SensitiveBytes, nonce: [UInt8], context: [UInt8]
        ) throws(CryptographyError) {
            let cipher = FetchedCipher.aes256GCM
            guard key.count == AESGCM.keyLength else { throw .keyLength(key.count, algorithm: cipher.name) }
            guard nonce.count == AESGCM.nonceLength else {
                throw .initializationVectorLength(nonce.count, algorithm: cipher.name)
            }
            guard let algorithm = cipher.handle else { throw .unavailable(cipher.name) }
            guard let made = EVP_CIPHER_CTX_new() else { throw .libraryFailure(cipher.name) }
            handle = made
            let isReady = key.withUnsafeBytes { key in
                EVP_CipherInit_ex2(
                    made, algorithm, key.bindMemory(to: UInt8.self).baseAddress, nonce, direction.rawValue, nil) == 1
            }
            // Data without an output goes with the secret.
            guard isReady, context.withUnsafeBytes({ update($0, nil) }) else {
                throw .libraryFailure(cipher.name)
            }
        }

        // Freeing a context overwrites the key schedule in it.
        deinit { EVP_CIPHER_CTX_free(handle) }

        func update(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawPointer?) -> Bool {
            guard let count = Int32(exactly: input.count) else { return false }
            guard count > 0 else { return true }
            var written: Int32 = 0
            return EVP_CipherUpdate(
                handle, output?.assumingMemoryBound(to: UInt8.self), &written,
                input.bindMemory(to: UInt8.self).baseAddress, count) == 1 && written == count
        }

        /// Ends the run. Nothing is written: the mode has no padding. False when the tag is another one.
        func finish(_ output: UnsafeMutableRawPointer?) -> Bool {
            var written: Int32 = 0
            return EVP_CipherFinal_ex(handle, output?.assumingMemoryBound(to: UInt8.self), &written) == 1
        }
    }
}
