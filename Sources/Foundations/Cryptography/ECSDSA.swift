import COpenSSL
import CardSecrets
public import Determinism

/// The signature scheme EC-SDSA in its optimized form, which hashes x of the commitment alone (ISO/IEC 14888-3, EMV
/// Book E chapter 8): with SHA-256 on P-256, and with SHA-512 on P-521.
///
/// A signature is the whole hash R and the number s, which is as long as a private key: 64 bytes, or 130 on P-521.
public enum ECSDSA {
    /// Returns the length of a signature, in bytes: 64, or 130 on P-521.
    public static func length(on curve: EllipticCurve) -> Int { curve.hashLength + curve.length }

    /// Signs a message with a nonce from the private key, the message, and `random`. So a source that repeats itself
    /// does not give away the key.
    ///
    /// - Throws: ``CryptographyError/unusableRandomness(_:)``, or a failure of libcrypto.
    public static func sign(
        _ message: [UInt8], key: EllipticCurvePrivateKey, random: any RandomSource
    ) throws(CryptographyError) -> [UInt8] {
        let fresh = random.bytes(32)
        for attempt in UInt8(0)..<64 {
            var bytes: [UInt8] = []
            defer { bytes.wipe() }
            bytes.reserveCapacity(3 * SHA256.length)
            for part in UInt8(0)..<3 {
                var code = try HMAC.code([attempt, part] + fresh + message, key: key.scalar.bytes())
                bytes += code
                code.wipe()
            }
            bytes.removeLast(bytes.count - key.curve.length)
            if let first = bytes.indices.first { bytes[first] &= key.curve.firstByteMask }
            if key.curve.isScalar(bytes) {
                return try sign(message, key: key, nonce: EllipticCurveScalar(SensitiveBytes(bytes), on: key.curve))
            }
        }
        throw .unusableRandomness(key.curve.rawValue)
    }

    /// Signs a message with a given nonce, for reproducible test data. Two messages under one key with the same nonce
    /// give away the key.
    ///
    /// - Throws: ``CryptographyError/differentCurves``; ``CryptographyError/unusableScalar(_:)`` when the nonce gives
    ///   no signature, which is as likely as finding a private key; or a failure of libcrypto.
    public static func sign(
        _ message: [UInt8], key: EllipticCurvePrivateKey, nonce: borrowing EllipticCurveScalar
    ) throws(CryptographyError) -> [UInt8] {
        let curve = key.curve
        guard nonce.curve == curve else { throw .differentCurves }
        let context = try BigNumberContext()
        let commitment = try LibraryPoint.make(baseTimes: nonce, context).coordinates(context)
        let hash = try curve.hash(commitment.x + message)
        let order = try BigNumber(curve.fetched.order)
        let first = try reduced(hash, order, context)
        let secret = try key.scalar.number()
        let offset = try nonce.number()
        let sum = try BigNumber()
        guard BN_mod_mul(sum.pointer, first.pointer, secret.pointer, order.pointer, context.pointer) == 1,
            BN_mod_add(sum.pointer, sum.pointer, offset.pointer, order.pointer, context.pointer) == 1
        else { throw .libraryFailure("EC-SDSA") }
        guard BN_is_zero(first.pointer) == 0, BN_is_zero(sum.pointer) == 0 else {
            throw .unusableScalar(curve.rawValue)
        }
        return try hash + sum.bytes(count: curve.length)
    }

    /// Returns whether the signature of the message was made with the private key of `key`. A signature of another
    /// length, or whose numbers are zero or not below the order, is none.
    ///
    /// - Throws: a failure of libcrypto.
    public static func verify(
        _ signature: [UInt8], of message: [UInt8], key: EllipticCurvePoint
    ) throws(CryptographyError) -> Bool {
        let curve = key.curve
        let (hash, encoded) = (Array(signature.prefix(curve.hashLength)), Array(signature.dropFirst(curve.hashLength)))
        guard signature.count == length(on: curve), curve.isScalar(encoded) else { return false }
        let context = try BigNumberContext()
        let order = try BigNumber(curve.fetched.order)
        let first = try reduced(hash, order, context)
        guard BN_is_zero(first.pointer) == 0 else { return false }
        let opposite = try BigNumber()
        let second = try BigNumber(encoded)
        let point = try LibraryPoint.make(x: key.x, y: key.y, on: curve)
        let commitment = try LibraryPoint(on: curve)
        guard BN_sub(opposite.pointer, order.pointer, first.pointer) == 1,
            EC_POINT_mul(
                commitment.group, commitment.pointer, second.pointer, point.pointer, opposite.pointer, context.pointer)
                == 1
        else { throw .libraryFailure("EC-SDSA") }
        guard EC_POINT_is_at_infinity(commitment.group, commitment.pointer) == 0 else { return false }
        return try curve.hash(commitment.coordinates(context).x + message) == hash
    }

    /// Returns the number of a hash, modulo the order.
    private static func reduced(
        _ hash: [UInt8], _ order: borrowing BigNumber, _ context: borrowing BigNumberContext
    ) throws(CryptographyError) -> BigNumber {
        let number = try BigNumber(hash)
        guard BN_nnmod(number.pointer, number.pointer, order.pointer, context.pointer) == 1 else {
            throw .libraryFailure("EC-SDSA")
        }
        return number
    }
}
