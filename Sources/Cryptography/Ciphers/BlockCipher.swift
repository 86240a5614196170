internal import COpenSSL
internal import CardSecrets

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

    /// The initialisation vector is one block in cipher block chaining, nil in electronic codebook.
    func run(
        _ data: [UInt8], key: borrowing SensitiveBytes, initialisationVector: [UInt8]?
    ) throws(CryptographyError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: data.count)
        try data.withUnsafeBytesTyped { (input) throws(CryptographyError) in
            try run(input, into: &output, key: key, initialisationVector: initialisationVector)
        }
        return output
    }

    func run(
        _ secret: borrowing SensitiveBytes, key: borrowing SensitiveBytes, initialisationVector: [UInt8]?
    ) throws(CryptographyError) -> SensitiveBytes {
        var output = [UInt8](repeating: 0, count: secret.count)
        defer { output.wipe() }
        try secret.withUnsafeBytes { (input) throws(CryptographyError) in
            try run(input, into: &output, key: key, initialisationVector: initialisationVector)
        }
        return SensitiveBytes(output)
    }

    private func run(
        _ input: UnsafeRawBufferPointer, into output: inout [UInt8], key: borrowing SensitiveBytes,
        initialisationVector: [UInt8]?
    ) throws(CryptographyError) {
        guard input.count.isMultiple(of: blockLength), let count = Int32(exactly: input.count) else {
            throw .dataLength(input.count, algorithm: cipher.name)
        }
        if let initialisationVector, initialisationVector.count != blockLength {
            throw .initialisationVectorLength(initialisationVector.count, algorithm: cipher.name)
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
                    context, handle, key.bindMemory(to: UInt8.self).baseAddress, initialisationVector,
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
