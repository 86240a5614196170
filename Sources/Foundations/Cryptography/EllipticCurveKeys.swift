import COpenSSL
public import CardSecrets
public import Determinism

/// A secret number of 1 up to the order of a curve less one: a private key, a blinding factor, or a nonce.
public struct EllipticCurveScalar: ~Copyable, Sendable {
    /// The curve whose order the number is below.
    public let curve: EllipticCurve
    /// Big-endian, as long as ``EllipticCurve/length``.
    private let secret: SensitiveBytes

    /// Takes a number, big-endian, as long as ``EllipticCurve/length``.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)``; ``CryptographyError/unusableScalar(_:)`` for zero and
    ///   for a number that is not below the order.
    public init(_ bytes: borrowing SensitiveBytes, on curve: EllipticCurve) throws(CryptographyError) {
        guard bytes.count == curve.length else { throw .keyLength(bytes.count, algorithm: curve.rawValue) }
        _ = try curve.fetched.handle()
        guard bytes.withUnsafeBytes({ curve.isScalar($0) }) else { throw .unusableScalar(curve.rawValue) }
        self.curve = curve
        secret = bytes.duplicate()
    }

    /// Draws a number, each with the same probability: as many bytes as the curve is long, again while they are no
    /// number below the order.
    ///
    /// - Throws: ``CryptographyError/unusableRandomness(_:)`` after 64 draws, or a failure of libcrypto.
    public static func random(
        on curve: EllipticCurve, from source: any RandomSource
    ) throws(CryptographyError) -> EllipticCurveScalar {
        for _ in 0..<64 {
            var drawn = source.bytes(curve.length)
            defer { drawn.wipe() }
            if let first = drawn.indices.first { drawn[first] &= curve.firstByteMask }
            if curve.isScalar(drawn) { return try EllipticCurveScalar(SensitiveBytes(drawn), on: curve) }
        }
        _ = try curve.fetched.handle()
        throw .unusableRandomness(curve.rawValue)
    }

    /// Returns the product modulo the order.
    ///
    /// - Throws: ``CryptographyError/differentCurves``, or a failure of libcrypto.
    public borrowing func times(
        _ other: borrowing EllipticCurveScalar
    ) throws(CryptographyError) -> EllipticCurveScalar {
        guard curve == other.curve else { throw .differentCurves }
        let context = try BigNumberContext()
        let first = try number()
        let second = try other.number()
        let order = try BigNumber(curve.fetched.order)
        let product = try BigNumber()
        guard BN_mod_mul(product.pointer, first.pointer, second.pointer, order.pointer, context.pointer) == 1 else {
            throw .libraryFailure(curve.rawValue)
        }
        return try Self.make(product, on: curve)
    }

    /// Returns the order less the number: it leads to the point with the same x and the other y.
    ///
    /// - Throws: a failure of libcrypto.
    public borrowing func negated() throws(CryptographyError) -> EllipticCurveScalar {
        let subtrahend = try number()
        let order = try BigNumber(curve.fetched.order)
        let difference = try BigNumber()
        guard BN_sub(difference.pointer, order.pointer, subtrahend.pointer) == 1 else {
            throw .libraryFailure(curve.rawValue)
        }
        return try Self.make(difference, on: curve)
    }

    /// Returns x of the point times the number: the shared secret of ECDH, as long as ``EllipticCurve/length``. Both
    /// points with the same x give the same secret.
    ///
    /// - Throws: ``CryptographyError/differentCurves``, or a failure of libcrypto.
    public borrowing func sharedX(with point: EllipticCurvePoint) throws(CryptographyError) -> SensitiveBytes {
        let context = try BigNumberContext()
        return try LibraryPoint.make(point, times: self, context).x(context)
    }

    /// Returns a copy of the number: big-endian, as long as ``EllipticCurve/length``.
    public borrowing func bytes() -> SensitiveBytes { secret.duplicate() }

    /// The number for constant-time computations.
    borrowing func number() throws(CryptographyError) -> BigNumber { try BigNumber(secret: secret) }

    private static func make(
        _ number: borrowing BigNumber, on curve: EllipticCurve
    ) throws(CryptographyError) -> EllipticCurveScalar {
        var bytes = try number.bytes(count: curve.length)
        let secret = SensitiveBytes(wiping: &bytes)
        return try EllipticCurveScalar(secret, on: curve)
    }
}

/// A key pair on an elliptic curve, for key agreement and for signatures (``ECSDSA``).
public final class EllipticCurvePrivateKey: Sendable {
    /// The curve of the key.
    public let curve: EllipticCurve
    /// The base point times the private key.
    public let publicKey: EllipticCurvePoint
    let scalar: EllipticCurveScalar

    /// Makes the key pair of a private key.
    ///
    /// - Throws: a failure of libcrypto.
    public init(_ scalar: consuming EllipticCurveScalar) throws(CryptographyError) {
        let context = try BigNumberContext()
        curve = scalar.curve
        publicKey = try LibraryPoint.make(baseTimes: scalar, context).coordinates(context)
        self.scalar = scalar
    }

    /// Makes the key pair of a private key, big-endian, as long as ``EllipticCurve/length``.
    ///
    /// - Throws: ``CryptographyError/keyLength(_:algorithm:)``; ``CryptographyError/unusableScalar(_:)`` for zero and
    ///   for a number that is not below the order; or a failure of libcrypto.
    public convenience init(secret: borrowing SensitiveBytes, on curve: EllipticCurve) throws(CryptographyError) {
        try self.init(EllipticCurveScalar(secret, on: curve))
    }

    /// Draws a key pair. For keys that protect data, use a secure source such as `SystemRandomSource`.
    ///
    /// - Throws: as ``EllipticCurveScalar/random(on:from:)``.
    public static func random(
        on curve: EllipticCurve, from source: any RandomSource
    ) throws(CryptographyError) -> EllipticCurvePrivateKey {
        try EllipticCurvePrivateKey(EllipticCurveScalar.random(on: curve, from: source))
    }

    /// Returns the key pair whose public key has the same x and the smaller y (EMV Book E §8.8.4). Keys of which x
    /// alone is transmitted must be such pairs.
    ///
    /// - Throws: a failure of libcrypto.
    public func withSmallerY() throws(CryptographyError) -> EllipticCurvePrivateKey {
        if publicKey.hasSmallerY { return self }
        return try EllipticCurvePrivateKey(scalar.negated())
    }

    /// Returns the shared secret of ECDH with another public key: x of the common point.
    ///
    /// - Throws: ``CryptographyError/differentCurves``, or a failure of libcrypto.
    public func sharedX(with point: EllipticCurvePoint) throws(CryptographyError) -> SensitiveBytes {
        try scalar.sharedX(with: point)
    }

    /// Returns the shared secret of the blinded key: x of the common point of `point` and the private key times
    /// `factor`. The other side has seen the public key times the same factor (EMV Book E chapter 7).
    ///
    /// - Throws: ``CryptographyError/differentCurves``, or a failure of libcrypto.
    public func sharedX(
        with point: EllipticCurvePoint, blindedBy factor: borrowing EllipticCurveScalar
    ) throws(CryptographyError) -> SensitiveBytes {
        try scalar.times(factor).sharedX(with: point)
    }
}
