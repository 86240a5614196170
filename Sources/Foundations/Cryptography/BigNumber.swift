import COpenSSL
import CardSecrets

/// An integer of libcrypto. Its memory is overwritten when it is released.
struct BigNumber: ~Copyable, Sendable {
    // A BIGNUM has one owner here. Only that owner writes it, and a key only reads it, so readers on several threads
    // are safe.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Zero.
    init() throws(CryptographyError) { pointer = try Self.make { _ in true } }

    /// The number with these big-endian bytes.
    init(_ bytes: [UInt8]) throws(CryptographyError) {
        pointer = try Self.make { BN_bin2bn(bytes, Int32(bytes.count), $0) != nil }
    }

    /// The number with these big-endian bytes, for constant-time computations.
    init(secret: borrowing SensitiveBytes) throws(CryptographyError) {
        pointer = try secret.withUnsafeBytes { (bytes) throws(CryptographyError) in
            try Self.make {
                BN_bin2bn(bytes.bindMemory(to: UInt8.self).baseAddress, Int32(bytes.count), $0) != nil
            }
        }
        hide()
    }

    private static func make(_ fill: (OpaquePointer) -> Bool) throws(CryptographyError) -> OpaquePointer {
        guard let number = BN_secure_new() else { throw .libraryFailure("arithmetic") }
        guard fill(number) else {
            BN_clear_free(number)
            throw .libraryFailure("arithmetic")
        }
        return number
    }

    deinit { BN_clear_free(pointer) }

    /// Makes later computations with this number constant-time.
    borrowing func hide() { BN_set_flags(pointer, BN_FLG_CONSTTIME) }

    /// The number of bytes without leading zeros.
    var byteCount: Int { (Int(BN_num_bits(pointer)) + 7) / 8 }

    /// The big-endian bytes, with zeros on the left.
    borrowing func bytes(count: Int) throws(CryptographyError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let length = Int32(count)
        guard BN_bn2binpad(pointer, &bytes, length) == length else { throw .libraryFailure("arithmetic") }
        return bytes
    }
}

/// Memory for intermediate results of libcrypto, for one computation.
struct BigNumberContext: ~Copyable {
    let pointer: OpaquePointer

    init() throws(CryptographyError) {
        guard let context = BN_CTX_secure_new() else { throw .libraryFailure("arithmetic") }
        pointer = context
    }

    deinit { BN_CTX_free(pointer) }
}

/// The precomputed values of a modulus for Montgomery multiplication. They take as long as a dozen multiplications.
struct MontgomeryContext: ~Copyable, Sendable {
    // Only read after its initialization.
    nonisolated(unsafe) let pointer: OpaquePointer

    init(
        modulus: borrowing BigNumber, _ context: borrowing BigNumberContext
    ) throws(CryptographyError) {
        guard let montgomery = BN_MONT_CTX_new() else { throw .libraryFailure("arithmetic") }
        guard BN_MONT_CTX_set(montgomery, modulus.pointer, context.pointer) == 1 else {
            BN_MONT_CTX_free(montgomery)
            throw .libraryFailure("arithmetic")
        }
        pointer = montgomery
    }

    deinit { BN_MONT_CTX_free(pointer) }
}
