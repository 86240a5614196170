import COpenSSL
import CardSecrets

/// A curve over a prime field (NIST SP 800-186), as EMV Book E uses two of them.
public enum EllipticCurve: String, CaseIterable, Hashable, Sendable {
    /// P-256, also known as prime256v1 and secp256r1.
    case p256 = "P-256"
    /// P-521, also known as secp521r1.
    case p521 = "P-521"

    /// The length of a coordinate and of a private key, in bytes: 32 or 66.
    public var length: Int {
        switch self {
        case .p256: 32
        case .p521: 66
        }
    }

    /// Returns the digest of `message` with the hash function that EMV uses with the curve: SHA-256 or SHA-512.
    ///
    /// - Throws: a failure of libcrypto.
    public func hash(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        switch self {
        case .p256: try SHA256.hash(message)
        case .p521: try SHA512.hash(message)
        }
    }

    /// The length of a digest of ``hash(_:)``, in bytes: 32 or 64.
    public var hashLength: Int {
        switch self {
        case .p256: SHA256.length
        case .p521: SHA512.length
        }
    }

    /// The bits of the first byte that a coordinate or a private key can have: P-521 has 521 bits in 66 bytes.
    var firstByteMask: UInt8 {
        switch self {
        case .p256: 0xFF
        case .p521: 0x01
        }
    }

    var fetched: FetchedCurve {
        switch self {
        case .p256: .p256
        case .p521: .p521
        }
    }

    /// Whether the big-endian bytes are a number of 1 up to the order less one. The time depends on the length alone.
    func isScalar(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        let order = fetched.order
        guard bytes.count == length, order.count == length else { return false }
        var (borrow, union) = (0, 0 as UInt8)
        for (byte, limit) in zip(bytes.reversed(), order.reversed()) {
            borrow = (Int(byte) - Int(limit) - borrow) >> 8 & 1
            union |= byte
        }
        return borrow == 1 && union != 0
    }
}

/// The constants of a curve in libcrypto, made once per process.
final class FetchedCurve: Sendable {
    private let name: String
    // An EC_GROUP is only read after it was made, so threads may share it. It is never freed, as it lives as long as
    // the process.
    private nonisolated(unsafe) let group: OpaquePointer?
    /// The prime of the field, big-endian. Empty when libcrypto does not offer the curve.
    let prime: [UInt8]
    /// The number of points, big-endian, a prime. Empty when libcrypto does not offer the curve.
    let order: [UInt8]
    /// x of the base point, big-endian. Empty when libcrypto does not offer the curve.
    let baseX: [UInt8]

    private init(_ curve: EllipticCurve, _ identifier: Int32) {
        let made: OpaquePointer? = EC_GROUP_new_by_curve_name(identifier)
        (name, group) = (curve.rawValue, made)
        guard let made else {
            (prime, order, baseX) = ([], [], [])
            return
        }
        prime = Self.bytes(EC_GROUP_get0_field(made), count: curve.length)
        order = Self.bytes(EC_GROUP_get0_order(made), count: curve.length)
        let base: OpaquePointer? = BN_new()
        defer { BN_free(base) }
        let isKnown = EC_POINT_get_affine_coordinates(made, EC_GROUP_get0_generator(made), base, nil, nil) == 1
        baseX = isKnown ? Self.bytes(base, count: curve.length) : []
    }

    static let p256 = FetchedCurve(.p256, NID_X9_62_prime256v1)
    static let p521 = FetchedCurve(.p521, NID_secp521r1)

    /// - Throws: ``CryptographyError/unavailable(_:)``
    func handle() throws(CryptographyError) -> OpaquePointer {
        guard let group, !prime.isEmpty, !order.isEmpty else { throw .unavailable(name) }
        return group
    }

    private static func bytes(_ number: OpaquePointer?, count: Int) -> [UInt8] {
        guard let number else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        return BN_bn2binpad(number, &bytes, Int32(count)) == Int32(count) ? bytes : []
    }
}

/// A point of a curve, other than the point at infinity: a public key. It is always on its curve.
public struct EllipticCurvePoint: Hashable, Sendable {
    /// The curve that has the point.
    public let curve: EllipticCurve
    /// The first coordinate: big-endian, as long as ``EllipticCurve/length``.
    public let x: [UInt8]
    /// The second coordinate: big-endian, as long as ``EllipticCurve/length``.
    public let y: [UInt8]

    /// Takes two coordinates, big-endian, each as long as ``EllipticCurve/length``.
    ///
    /// - Throws: ``CryptographyError/dataLength(_:algorithm:)``; ``CryptographyError/pointNotOnCurve(_:)`` when a
    ///   coordinate is not below the prime or the point is not on the curve; or a failure of libcrypto.
    public init(x: [UInt8], y: [UInt8], on curve: EllipticCurve) throws(CryptographyError) {
        _ = try LibraryPoint.make(x: x, y: y, on: curve)
        (self.curve, self.x, self.y) = (curve, x, y)
    }

    /// Takes `x ‖ y`, the form of the kernel's key in tag 9E: 64 or 132 bytes, without a first byte 04.
    ///
    /// - Throws: as ``init(x:y:on:)``.
    public init(coordinates: [UInt8], on curve: EllipticCurve) throws(CryptographyError) {
        guard coordinates.count == 2 * curve.length else {
            throw .dataLength(coordinates.count, algorithm: curve.rawValue)
        }
        try self.init(
            x: Array(coordinates.prefix(curve.length)), y: Array(coordinates.suffix(curve.length)), on: curve)
    }

    /// Finds the point with this x whose y is the smaller of the two roots, below (p + 1) / 2. EMV Book E §8.8.4 and
    /// §8.8.5 transmit public keys as x alone, and make key pairs so that theirs is the smaller root.
    ///
    /// - Throws: ``CryptographyError/dataLength(_:algorithm:)``; ``CryptographyError/pointNotOnCurve(_:)`` when no
    ///   point has this x, as about half of all numbers; or a failure of libcrypto.
    public init(smallerRootOf x: [UInt8], on curve: EllipticCurve) throws(CryptographyError) {
        let context = try BigNumberContext()
        let even = try LibraryPoint.make(x: x, hasOddY: false, on: curve, context).coordinates(context)
        let odd = try LibraryPoint.make(x: x, hasOddY: true, on: curve, context).coordinates(context)
        self = even.hasSmallerY ? even : odd
    }

    /// Takes the forms of SEC 1 §2.3.3: `04 ‖ x ‖ y`, or `02 ‖ x` and `03 ‖ x` with an even and an odd y.
    ///
    /// - Throws: ``CryptographyError/pointEncoding(_:)`` for another first byte;
    ///   ``CryptographyError/pointAtInfinity(_:)`` for a byte 00; otherwise as ``init(x:y:on:)``.
    public init(encoded: [UInt8], on curve: EllipticCurve) throws(CryptographyError) {
        let rest = Array(encoded.dropFirst())
        switch encoded.first {
        case nil: throw .dataLength(0, algorithm: curve.rawValue)
        case 0x00?: throw .pointAtInfinity(curve.rawValue)
        case 0x04?: self = try EllipticCurvePoint(coordinates: rest, on: curve)
        case 0x02?, 0x03?:
            let context = try BigNumberContext()
            let isOdd = encoded.first == 0x03
            self = try LibraryPoint.make(x: rest, hasOddY: isOdd, on: curve, context).coordinates(context)
        case let other?: throw .pointEncoding(other)
        }
    }

    fileprivate init(known curve: EllipticCurve, x: [UInt8], y: [UInt8]) {
        (self.curve, self.x, self.y) = (curve, x, y)
    }

    /// `x ‖ y`, 64 or 132 bytes.
    public var coordinates: [UInt8] { x + y }

    /// Whether y is the smaller of the two roots that belong to x.
    public var hasSmallerY: Bool {
        // The roots are y and p - y, of which one is odd: y is the smaller one when its double is below the prime.
        var doubled = [UInt8](repeating: 0, count: y.count)
        var carry: UInt8 = 0
        for index in y.indices.reversed() {
            doubled[index] = y[index] << 1 | carry
            carry = y[index] >> 7
        }
        return carry == 0 && doubled.lexicographicallyPrecedes(curve.fetched.prime)
    }

    /// Whether everybody knows the private key: it is one, or the order less one. EMV Book 2 §B2.2.4 allows neither.
    public var hasKnownPrivateKey: Bool { x == curve.fetched.baseX }

    /// Returns the point times a secret factor. The time does not depend on the factor.
    ///
    /// - Throws: ``CryptographyError/differentCurves``, or a failure of libcrypto.
    public func multiplied(by factor: borrowing EllipticCurveScalar) throws(CryptographyError) -> EllipticCurvePoint {
        let context = try BigNumberContext()
        return try LibraryPoint.make(self, times: factor, context).coordinates(context)
    }
}

/// A point of libcrypto. Its memory is overwritten when it is released.
struct LibraryPoint: ~Copyable {
    let pointer: OpaquePointer
    let group: OpaquePointer
    let curve: EllipticCurve

    /// The point at infinity.
    init(on curve: EllipticCurve) throws(CryptographyError) {
        let group = try curve.fetched.handle()
        guard let pointer = EC_POINT_new(group) else { throw .libraryFailure(curve.rawValue) }
        self.pointer = pointer
        self.group = group
        self.curve = curve
    }

    deinit { EC_POINT_clear_free(pointer) }

    static func make(x: [UInt8], y: [UInt8], on curve: EllipticCurve) throws(CryptographyError) -> LibraryPoint {
        let point = try LibraryPoint(on: curve)
        try check(x, curve)
        try check(y, curve)
        let first = try BigNumber(x)
        let second = try BigNumber(y)
        let context = try BigNumberContext()
        // A refused point leaves no error behind in the queue of the thread, which TLS connections look at.
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        guard
            EC_POINT_set_affine_coordinates(
                point.group, point.pointer, first.pointer, second.pointer, context.pointer) == 1,
            EC_POINT_is_on_curve(point.group, point.pointer, context.pointer) == 1
        else { throw .pointNotOnCurve(curve.rawValue) }
        return point
    }

    static func make(
        x: [UInt8], hasOddY: Bool, on curve: EllipticCurve, _ context: borrowing BigNumberContext
    ) throws(CryptographyError) -> LibraryPoint {
        let point = try LibraryPoint(on: curve)
        try check(x, curve)
        let first = try BigNumber(x)
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        guard
            EC_POINT_set_compressed_coordinates(
                point.group, point.pointer, first.pointer, hasOddY ? 1 : 0, context.pointer) == 1
        else { throw .pointNotOnCurve(curve.rawValue) }
        return point
    }

    /// The base point times a secret number of 1 up to the order less one.
    static func make(
        baseTimes factor: borrowing EllipticCurveScalar, _ context: borrowing BigNumberContext
    ) throws(CryptographyError) -> LibraryPoint {
        let point = try LibraryPoint(on: factor.curve)
        let number = try factor.number()
        guard EC_POINT_mul(point.group, point.pointer, number.pointer, nil, nil, context.pointer) == 1 else {
            throw .libraryFailure(factor.curve.rawValue)
        }
        return point
    }

    /// A point times a secret number of 1 up to the order less one.
    static func make(
        _ base: EllipticCurvePoint, times factor: borrowing EllipticCurveScalar, _ context: borrowing BigNumberContext
    ) throws(CryptographyError) -> LibraryPoint {
        guard factor.curve == base.curve else { throw .differentCurves }
        let start = try make(x: base.x, y: base.y, on: base.curve)
        let point = try LibraryPoint(on: base.curve)
        let number = try factor.number()
        guard EC_POINT_mul(point.group, point.pointer, nil, start.pointer, number.pointer, context.pointer) == 1 else {
            throw .libraryFailure(base.curve.rawValue)
        }
        return point
    }

    /// Returns x alone.
    ///
    /// - Throws: ``CryptographyError/pointAtInfinity(_:)``, or a failure of libcrypto.
    borrowing func x(_ context: borrowing BigNumberContext) throws(CryptographyError) -> SensitiveBytes {
        guard EC_POINT_is_at_infinity(group, pointer) == 0 else { throw .pointAtInfinity(curve.rawValue) }
        let first = try BigNumber()
        guard EC_POINT_get_affine_coordinates(group, pointer, first.pointer, nil, context.pointer) == 1 else {
            throw .libraryFailure(curve.rawValue)
        }
        var bytes = try first.bytes(count: curve.length)
        return SensitiveBytes(wiping: &bytes)
    }

    /// - Throws: as ``x(_:)``.
    borrowing func coordinates(_ context: borrowing BigNumberContext) throws(CryptographyError) -> EllipticCurvePoint {
        guard EC_POINT_is_at_infinity(group, pointer) == 0 else { throw .pointAtInfinity(curve.rawValue) }
        let first = try BigNumber()
        let second = try BigNumber()
        guard EC_POINT_get_affine_coordinates(group, pointer, first.pointer, second.pointer, context.pointer) == 1
        else { throw .libraryFailure(curve.rawValue) }
        return EllipticCurvePoint(
            known: curve, x: try first.bytes(count: curve.length), y: try second.bytes(count: curve.length))
    }

    /// Checks that a coordinate has its length and is below the prime: libcrypto takes it modulo the prime otherwise.
    private static func check(_ coordinate: [UInt8], _ curve: EllipticCurve) throws(CryptographyError) {
        guard coordinate.count == curve.length else {
            throw .dataLength(coordinate.count, algorithm: curve.rawValue)
        }
        guard coordinate.lexicographicallyPrecedes(curve.fetched.prime) else { throw .pointNotOnCurve(curve.rawValue) }
    }
}
