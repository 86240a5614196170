import CardSecrets
import Cryptography
import Determinism
import Testing

struct RSAKeyGeneratorTests {
    private func key(
        bits: Int, exponent: RSAPublicExponent = .three, seed: UInt64 = 1
    ) throws -> RSAPrivateKey {
        try RSAKeyGenerator(random: SeededRandomSource(seed: seed)).key(bits: bits, exponent: exponent)
    }

    @Test(arguments: [512, 520, 776, 1024], RSAPublicExponent.allCases)
    func `a key has the size asked for, and its halves fit`(bits: Int, exponent: RSAPublicExponent) throws {
        let secret = try key(bits: bits, exponent: exponent)
        #expect(secret.publicKey.exponent == exponent.bytes)
        #expect(secret.length == bits / 8)
        #expect(try #require(secret.publicKey.modulus.first) >= 0x80)
        let message = [0x6A] + (1..<secret.length).map { UInt8(truncatingIfNeeded: $0 * 13) }
        #expect(try secret.publicKey.apply(secret.apply(message)) == message)
        #expect(try secret.apply(secret.publicKey.apply(message)) == message)
    }

    // EMV Book 2 annex B2.1: keys have up to 1984 bits
    @Test func `the longest key that EMV allows can be made`() throws {
        let secret = try key(bits: 1984)
        let message = [0x6A] + [UInt8](repeating: 0xBB, count: 247)
        #expect(try secret.publicKey.apply(secret.apply(message)) == message)
    }

    @Test func `the same random bytes give the same key, others give another one`() throws {
        let first = try key(bits: 512).publicKey
        #expect(try key(bits: 512).publicKey == first)
        #expect(try key(bits: 512, seed: 2).publicKey != first)
    }

    @Test(arguments: [0, 8, 504, 513, 1990, 1992, -512])
    func `other sizes are refused`(bits: Int) {
        #expect(throws: CryptographyError.unusableKeySize(bits: bits)) { try key(bits: bits) }
    }

    @Test func `a source that repeats itself makes no key`() {
        struct Constant: RandomSource {
            func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
            func stream(_ label: String) -> any RandomSource { self }
        }
        #expect(throws: CryptographyError.unusablePrimes) {
            try RSAKeyGenerator(random: Constant()).key(bits: 512, exponent: .three)
        }
    }
}
