import CardSecrets
import Cryptography
import Determinism
import Testing

struct ECSDSATests {
    private static let message = Array("EC-SDSA test message".utf8)

    private func pair(_ values: CurveValues) throws -> EllipticCurvePrivateKey {
        try EllipticCurvePrivateKey(secret: key(values.first), on: values.curve)
    }

    // Book E chapter 8: R is the hash of x of the commitment and of the message, and s = k + R d modulo the order
    @Test(arguments: CurveValues.all)
    func `a signature with a known nonce has known bytes`(_ values: CurveValues) throws {
        let pair = try pair(values)
        let nonce = try EllipticCurveScalar(key(values.nonce), on: values.curve)
        let signature = try ECSDSA.sign(Self.message, key: pair, nonce: nonce)
        #expect(signature == hex(values.signature))
        #expect(signature.count == ECSDSA.length(on: values.curve))
        #expect(try ECSDSA.verify(signature, of: Self.message, key: pair.publicKey))
    }

    @Test func `the lengths are those of EMV`() {
        #expect(ECSDSA.length(on: .p256) == 64)
        #expect(ECSDSA.length(on: .p521) == 130)
    }

    @Test(arguments: CurveValues.all)
    func `any changed byte makes a signature worthless`(_ values: CurveValues) throws {
        let pair = try pair(values)
        let signature = hex(values.signature)
        for index in signature.indices {
            var bent = signature
            bent[index] ^= 0x01
            #expect(try !ECSDSA.verify(bent, of: Self.message, key: pair.publicKey))
        }
        for index in Self.message.indices {
            var bent = Self.message
            bent[index] ^= 0x80
            #expect(try !ECSDSA.verify(signature, of: bent, key: pair.publicKey))
        }
        let other = try EllipticCurvePrivateKey(secret: key(values.second), on: values.curve)
        #expect(try !ECSDSA.verify(signature, of: Self.message, key: other.publicKey))
    }

    // Book E §8.8.4: the sign of y matters in a signature, other than in a key agreement
    @Test(arguments: CurveValues.all) func `the other root of x verifies nothing`(_ values: CurveValues) throws {
        let smaller = try EllipticCurvePoint(smallerRootOf: hex(values.firstX), on: values.curve)
        #expect(try !ECSDSA.verify(hex(values.signature), of: Self.message, key: smaller))
        let turned = try pair(values).withSmallerY()
        let nonce = try EllipticCurveScalar(key(values.nonce), on: values.curve)
        let signature = try ECSDSA.sign(Self.message, key: turned, nonce: nonce)
        #expect(try ECSDSA.verify(signature, of: Self.message, key: smaller))
    }

    @Test(arguments: CurveValues.all) func `numbers out of range are no signature`(_ values: CurveValues) throws {
        let pair = try pair(values)
        let hash = hex(values.signature).prefix(values.curve.hashLength)
        let zero = [UInt8](repeating: 0, count: values.curve.length)
        let highest = [UInt8](repeating: 0xFF, count: values.curve.length)
        #expect(try !ECSDSA.verify(hash + zero, of: Self.message, key: pair.publicKey))
        #expect(try !ECSDSA.verify(hash + highest, of: Self.message, key: pair.publicKey))
        let noHash = [UInt8](repeating: 0, count: values.curve.hashLength)
        let rest = hex(values.signature).dropFirst(values.curve.hashLength)
        #expect(try !ECSDSA.verify(noHash + rest, of: Self.message, key: pair.publicKey))
    }

    @Test func `R that is the order of the curve counts as zero`() throws {
        let values = try #require(CurveValues.all.first)
        let order = hex("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        let rest = hex(values.signature).dropFirst(values.curve.hashLength)
        #expect(try !ECSDSA.verify(order + rest, of: Self.message, key: pair(values).publicKey))
    }

    @Test(arguments: CurveValues.all) func `a signature of another length is none`(_ values: CurveValues) throws {
        let pair = try pair(values)
        let signature = hex(values.signature)
        for bent in [[], Array(signature.dropLast()), signature + [0], signature + signature] {
            #expect(try !ECSDSA.verify(bent, of: Self.message, key: pair.publicKey))
        }
    }

    @Test(arguments: CurveValues.all)
    func `a source that repeats itself gives every message a nonce of its own`(_ values: CurveValues) throws {
        struct Constant: RandomSource {
            func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
            func stream(_ label: String) -> any RandomSource { self }
        }
        let pair = try pair(values)
        var hashes: Set<[UInt8]> = []
        for round in UInt8(0)..<8 {
            let message = Self.message + [round]
            let signature = try ECSDSA.sign(message, key: pair, random: Constant())
            #expect(try ECSDSA.verify(signature, of: message, key: pair.publicKey))
            #expect(try ECSDSA.sign(message, key: pair, random: Constant()) == signature)
            hashes.insert(Array(signature.prefix(values.curve.hashLength)))
        }
        #expect(hashes.count == 8)
        let first = try ECSDSA.sign(Self.message, key: pair, random: SeededRandomSource(seed: 1))
        #expect(try ECSDSA.sign(Self.message, key: pair, random: SeededRandomSource(seed: 2)) != first)
    }

    @Test func `key and nonce must be of one curve`() throws {
        let values = try #require(CurveValues.all.first)
        let pair = try pair(values)
        #expect(throws: CryptographyError.differentCurves) {
            let nonce = try EllipticCurveScalar.random(on: .p521, from: SeededRandomSource(seed: 2))
            _ = try ECSDSA.sign(Self.message, key: pair, nonce: nonce)
        }
    }
}
