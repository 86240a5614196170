import CardSecrets
import Cryptography
import Testing

struct RSATests {
    // A test key of 512 bits with the public exponent 3.
    private static let modulus = hex(
        """
        A4CE70298F5DF0AFA98BE45D28530710CAFF25DAC70AA76F6666E290652DC973
        3CE2B96A5263509FE3DAD48B80DA2593531CFBE61573F894DA0F9486532D037F
        """)
    private static let privateExponent = """
        6DDEF5710A3EA0751BB2983E1AE204B5DCAA193C84B1C4F4EEEF41B598C930F6
        6BEF28AE918A673351EB987FCAFA476DC48002B063EBCBB53D3C636737041BFB
        """

    private func privateKey() throws -> RSAPrivateKey {
        try RSAPrivateKey(modulus: Self.modulus, publicExponent: [3], privateExponent: key(Self.privateExponent))
    }

    @Test func `what one half of a key does, the other undoes`() throws {
        let secret = try privateKey()
        for round in 0..<20 {
            let message = [0x6A] + (1..<secret.length).map { UInt8(truncatingIfNeeded: $0 * 7 + round * 31) }
            let signed = try secret.apply(message)
            #expect(signed != message)
            #expect(try secret.publicKey.apply(signed) == message)
            #expect(try secret.duplicate().apply(secret.publicKey.apply(message)) == message)
        }
    }

    @Test func `a small number is cubed without reduction`() throws {
        let publicKey = try RSAPublicKey(modulus: Self.modulus, exponent: [3])
        let two = [UInt8](repeating: 0, count: 63) + [2]
        #expect(try publicKey.apply(two) == [UInt8](repeating: 0, count: 63) + [8])
    }

    @Test func `a modulus of 1984 bits is taken`() throws {
        let modulus = [0x80] + [UInt8](repeating: 0, count: 246) + [1]
        let publicKey = try RSAPublicKey(modulus: modulus, exponent: [1, 0, 1])
        let one = [UInt8](repeating: 0, count: 247) + [1]
        #expect(try publicKey.apply(one) == one)
    }

    @Test func `an input of another length is refused`() throws {
        let publicKey = try RSAPublicKey(modulus: Self.modulus, exponent: [3])
        #expect(throws: CryptographyError.dataLength(63, algorithm: "RSA")) {
            try publicKey.apply([UInt8](repeating: 0, count: 63))
        }
    }

    @Test func `an input that is not below the modulus is refused`() throws {
        let publicKey = try RSAPublicKey(modulus: Self.modulus, exponent: [3])
        #expect(throws: CryptographyError.inputNotBelowModulus) { try publicKey.apply(Self.modulus) }
        #expect(throws: CryptographyError.inputNotBelowModulus) {
            try publicKey.apply([UInt8](repeating: 0xFF, count: 64))
        }
    }

    @Test func `moduli that are even, short, long or begin with zero are refused`() {
        for modulus in [
            [], [UInt8](repeating: 1, count: 63), [UInt8](repeating: 1, count: 513),
            [0] + [UInt8](repeating: 1, count: 63), [UInt8](repeating: 1, count: 63) + [2],
        ] {
            #expect(throws: CryptographyError.unusableModulus(modulus.count)) {
                try RSAPublicKey(modulus: modulus, exponent: [3])
            }
        }
    }

    @Test func `exponents that are empty, zero or long are refused`() {
        for exponent: [UInt8] in [[], [0], [1, 0, 0, 0, 1]] {
            #expect(throws: CryptographyError.unusableExponent(exponent.count)) {
                try RSAPublicKey(modulus: Self.modulus, exponent: exponent)
            }
        }
        #expect(throws: CryptographyError.unusableExponent(65)) {
            _ = try RSAPrivateKey(
                modulus: Self.modulus, publicExponent: [3],
                privateExponent: SensitiveBytes([UInt8](repeating: 1, count: 65)))
        }
    }
}
