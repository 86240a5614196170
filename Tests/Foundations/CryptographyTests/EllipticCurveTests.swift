import CardSecrets
import Cryptography
import Determinism
import Testing

struct EllipticCurveTests {
    private static let orders: [EllipticCurve: [UInt8]] = [
        .p256: hex("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"),
        .p521: [0x01] + [UInt8](repeating: 0xFF, count: 32)
            + hex("FA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409"),
    ]
    private static let primes: [EllipticCurve: [UInt8]] = [
        .p256: hex("FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF"),
        .p521: [0x01] + [UInt8](repeating: 0xFF, count: 65),
    ]

    /// A number as long as the curve's private keys.
    private func number(_ value: UInt8, _ curve: EllipticCurve) -> [UInt8] {
        [UInt8](repeating: 0, count: curve.length - 1) + [value]
    }

    private func pair(_ secret: String, _ curve: EllipticCurve) throws -> EllipticCurvePrivateKey {
        try EllipticCurvePrivateKey(secret: key(secret), on: curve)
    }

    @Test(arguments: CurveValues.all) func `a private key has its public key`(_ values: CurveValues) throws {
        let first = try pair(values.first, values.curve).publicKey
        let second = try pair(values.second, values.curve).publicKey
        #expect(first.x == hex(values.firstX))
        #expect(first.y == hex(values.firstY))
        #expect(second.coordinates == hex(values.secondX + values.secondY))
        #expect(first.curve == values.curve)
    }

    @Test(arguments: CurveValues.all) func `both sides agree on one secret`(_ values: CurveValues) throws {
        let first = try pair(values.first, values.curve)
        let second = try pair(values.second, values.curve)
        #expect(try first.sharedX(with: second.publicKey).revealed == hex(values.shared))
        #expect(try second.sharedX(with: first.publicKey).revealed == hex(values.shared))
    }

    // Book E §8.8.5: x alone is enough, since both roots lead to the same secret
    @Test(arguments: CurveValues.all) func `both roots of x give the same secret`(_ values: CurveValues) throws {
        let first = try pair(values.first, values.curve)
        let lifted = try EllipticCurvePoint(smallerRootOf: hex(values.secondX), on: values.curve)
        let second = try pair(values.second, values.curve).publicKey
        #expect(lifted.hasSmallerY && !second.hasSmallerY)
        #expect(lifted.x == second.x && lifted.y != second.y)
        #expect(try first.sharedX(with: lifted).revealed == hex(values.shared))
    }

    // Book E §8.8.4: key pairs are made so that y of the public key is the smaller root
    @Test(arguments: CurveValues.all) func `a key pair is turned to the smaller y`(_ values: CurveValues) throws {
        let key = try pair(values.first, values.curve)
        let turned = try key.withSmallerY()
        #expect(!key.publicKey.hasSmallerY && turned.publicKey.hasSmallerY)
        #expect(turned.publicKey.x == key.publicKey.x)
        #expect(try turned.publicKey == EllipticCurvePoint(smallerRootOf: hex(values.firstX), on: values.curve))
        #expect(try turned.withSmallerY().publicKey == turned.publicKey)
    }

    // Book E chapter 7: the card multiplies its key with a blinding factor, and shows the blinded public key alone
    @Test(arguments: CurveValues.all) func `a blinded key agrees as its factors do`(_ values: CurveValues) throws {
        let card = try pair(values.first, values.curve)
        let factor = try EllipticCurveScalar(key(values.second), on: values.curve)
        let kernel = try EllipticCurvePrivateKey.random(on: values.curve, from: SeededRandomSource(seed: 3))
        let blinded = try card.publicKey.multiplied(by: factor)
        let product = try EllipticCurveScalar(key(values.first), on: values.curve).times(factor)
        let encoded = product.bytes().revealed
        #expect(encoded == hex(values.product))
        #expect(try EllipticCurvePrivateKey(product).publicKey == blinded)
        let lifted = try EllipticCurvePoint(smallerRootOf: blinded.x, on: values.curve)
        let secret = try kernel.sharedX(with: lifted).revealed
        let agreed = try card.sharedX(with: kernel.publicKey, blindedBy: factor).revealed
        #expect(agreed == secret)
        #expect(try card.sharedX(with: kernel.publicKey).revealed != secret)
    }

    @Test(arguments: EllipticCurve.allCases)
    func `one and the order less one are private keys, with the same x`(_ curve: EllipticCurve) throws {
        let last = try #require(Self.orders[curve]?.last)
        let order = try #require(Self.orders[curve])
        let one = try EllipticCurvePrivateKey(secret: SensitiveBytes(number(1, curve)), on: curve)
        let largest = try EllipticCurvePrivateKey(
            secret: SensitiveBytes(Array(order.dropLast()) + [last - 1]), on: curve)
        #expect(one.publicKey.x == largest.publicKey.x)
        #expect(one.publicKey.y != largest.publicKey.y)
        #expect(one.publicKey.hasSmallerY != largest.publicKey.hasSmallerY)
    }

    @Test(arguments: EllipticCurve.allCases)
    func `zero, the order, and more are no private keys`(_ curve: EllipticCurve) throws {
        let order = try #require(Self.orders[curve])
        let last = try #require(order.last)
        let highest = [UInt8](repeating: 0xFF, count: curve.length)
        for bytes in [number(0, curve), order, Array(order.dropLast()) + [last + 1], highest] {
            #expect(throws: CryptographyError.unusableScalar(curve.rawValue)) {
                _ = try EllipticCurvePrivateKey(secret: SensitiveBytes(bytes), on: curve)
            }
        }
        for count in [0, curve.length - 1, curve.length + 1, 2 * curve.length] {
            #expect(throws: CryptographyError.keyLength(count, algorithm: curve.rawValue)) {
                _ = try EllipticCurvePrivateKey(secret: SensitiveBytes([UInt8](repeating: 1, count: count)), on: curve)
            }
        }
    }

    @Test(arguments: EllipticCurve.allCases)
    func `the same random bytes give the same key pair, others give another one`(_ curve: EllipticCurve) throws {
        func draw(_ seed: UInt64) throws -> EllipticCurvePoint {
            try EllipticCurvePrivateKey.random(on: curve, from: SeededRandomSource(seed: seed)).publicKey
        }
        #expect(try draw(1) == draw(1))
        #expect(try draw(1) != draw(2))
    }

    @Test(arguments: EllipticCurve.allCases)
    func `a source that gives no private key is refused`(_ curve: EllipticCurve) {
        struct Constant: RandomSource {
            let byte: UInt8
            func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
            func stream(_ label: String) -> any RandomSource { self }
        }
        for byte: UInt8 in [0x00, 0xFF] {
            #expect(throws: CryptographyError.unusableRandomness(curve.rawValue)) {
                _ = try EllipticCurvePrivateKey.random(on: curve, from: Constant(byte: byte))
            }
        }
    }

    @Test(arguments: CurveValues.all)
    func `a point off the curve is refused`(_ values: CurveValues) throws {
        let curve = values.curve
        let (x, y) = (hex(values.firstX), hex(values.firstY))
        let zero = number(0, curve)
        let prime = try #require(Self.primes[curve])
        #expect(throws: Never.self) { try EllipticCurvePoint(x: x, y: y, on: curve) }
        var bent = y
        bent[curve.length - 1] ^= 1
        for (x, y) in [(x, bent), (y, x), (zero, zero), (x, prime), (prime, y), (x, zero)] {
            #expect(throws: CryptographyError.pointNotOnCurve(curve.rawValue)) {
                try EllipticCurvePoint(x: x, y: y, on: curve)
            }
        }
    }

    @Test func `about half of all x have no point`() throws {
        let rows: [(curve: EllipticCurve, without: [UInt8], with: [UInt8])] = [
            (.p256, [1, 2, 3, 4, 7, 10], [5, 6, 8, 9, 12]), (.p521, [3, 5, 7, 9, 12], [1, 2, 4, 6, 8]),
        ]
        for row in rows {
            for value in row.without {
                #expect(throws: CryptographyError.pointNotOnCurve(row.curve.rawValue)) {
                    try EllipticCurvePoint(smallerRootOf: number(value, row.curve), on: row.curve)
                }
            }
            for value in row.with {
                let point = try EllipticCurvePoint(smallerRootOf: number(value, row.curve), on: row.curve)
                #expect(point.hasSmallerY)
                #expect(point.x == number(value, row.curve))
            }
        }
    }

    @Test func `an x that is not below the prime is refused, although its remainder has a point`() throws {
        // The remainders are 0 and 5 on P-256, and 0 and 1 on P-521.
        let larger = hex("FFFFFFFF00000001000000000000000000000001000000000000000000000004")
        let rows: [(EllipticCurve, [UInt8])] = [
            (.p256, try #require(Self.primes[.p256])), (.p256, larger), (.p521, try #require(Self.primes[.p521])),
            (.p521, [0x02] + [UInt8](repeating: 0, count: 65)),
        ]
        for (curve, x) in rows {
            #expect(throws: CryptographyError.pointNotOnCurve(curve.rawValue)) {
                try EllipticCurvePoint(smallerRootOf: x, on: curve)
            }
        }
    }

    @Test func `coordinates of another curve are refused by their length`() throws {
        let values = try #require(CurveValues.all.last)
        #expect(throws: CryptographyError.dataLength(132, algorithm: "P-256")) {
            try EllipticCurvePoint(coordinates: hex(values.firstX + values.firstY), on: .p256)
        }
        #expect(throws: CryptographyError.dataLength(66, algorithm: "P-256")) {
            try EllipticCurvePoint(smallerRootOf: hex(values.firstX), on: .p256)
        }
        #expect(throws: CryptographyError.dataLength(31, algorithm: "P-256")) {
            try EllipticCurvePoint(smallerRootOf: [UInt8](repeating: 1, count: 31), on: .p256)
        }
    }

    @Test(arguments: CurveValues.all) func `points have the encodings of SEC 1`(_ values: CurveValues) throws {
        let curve = values.curve
        let point = try EllipticCurvePoint(x: hex(values.firstX), y: hex(values.firstY), on: curve)
        let prefix: UInt8 = try #require(point.y.last) & 1 == 1 ? 0x03 : 0x02
        #expect(try EllipticCurvePoint(encoded: [0x04] + point.coordinates, on: curve) == point)
        #expect(try EllipticCurvePoint(encoded: [prefix] + point.x, on: curve) == point)
        #expect(try EllipticCurvePoint(encoded: [prefix ^ 1] + point.x, on: curve) != point)
        #expect(throws: CryptographyError.pointAtInfinity(curve.rawValue)) {
            try EllipticCurvePoint(encoded: [0x00], on: curve)
        }
        #expect(throws: CryptographyError.pointEncoding(0x05)) {
            try EllipticCurvePoint(encoded: [0x05] + point.coordinates, on: curve)
        }
        #expect(throws: CryptographyError.dataLength(0, algorithm: curve.rawValue)) {
            try EllipticCurvePoint(encoded: [], on: curve)
        }
        #expect(throws: CryptographyError.dataLength(curve.length, algorithm: curve.rawValue)) {
            try EllipticCurvePoint(encoded: [0x04] + point.x, on: curve)
        }
    }

    @Test func `keys of two curves do not agree`() throws {
        let first = try EllipticCurvePrivateKey.random(on: .p256, from: SeededRandomSource(seed: 1))
        let second = try EllipticCurvePrivateKey.random(on: .p521, from: SeededRandomSource(seed: 1))
        #expect(throws: CryptographyError.differentCurves) { _ = try first.sharedX(with: second.publicKey) }
        #expect(throws: CryptographyError.differentCurves) {
            let factor = try EllipticCurveScalar.random(on: .p521, from: SeededRandomSource(seed: 2))
            _ = try first.publicKey.multiplied(by: factor)
        }
    }
}
