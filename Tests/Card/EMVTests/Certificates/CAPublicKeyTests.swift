import Cryptography
import EMV
import Testing

struct CAPublicKeyTests {
    /// Test keys that the payment systems publish.
    struct Published: Sendable {
        let rid: String
        let index: UInt8
        let modulus: String
        let checksum: String
    }

    static let published = [
        Published(
            rid: "A000000003", index: 0x99,
            modulus: """
                AB79FCC9520896967E776E64444E5DCDD6E13611874F3985722520425295EEA4BD0C2781DE7F31CD3D041F565F747306
                EED62954B17EDABA3A6C5B85A1DE1BEB9A34141AF38FCF8279C9DEA0D5A6710D08DB4124F041945587E20359BAB47B75
                75AD94262D4B25F264AF33DEDCF28E09615E937DE32EDC03C54445FE7E382777
                """, checksum: "4ABFFD6B1C51212D05552E431C5B17007D2F5E6D"),
        Published(
            rid: "A000000004", index: 0xFE,
            modulus: """
                A653EAC1C0F786C8724F737F172997D63D1C3251C44402049B865BAE877D0F398CBFBE8A6035E24AFA086BEFDE9351E5
                4B95708EE672F0968BCD50DCE40F783322B2ABA04EF137EF18ABF03C7DBC5813AEAEF3AA7797BA15DF7D5BA1CBAF7FD5
                20B5A482D8D3FEE105077871113E23A49AF3926554A70FE10ED728CF793B62A1
                """, checksum: "9A295B05FB390EF7923F57618A9FDA2941FC34E0"),
        Published(
            rid: "A000000025", index: 0x04,
            modulus: """
                D0F543F03F2517133EF2BA4A1104486758630DCFE3A883C77B4E4844E39A9BD6360D23E6644E1E071F196DDF2E4A68B4
                A3D93D14268D7240F6A14F0D714C17827D279D192E88931AF7300727AE9DA80A3F0E366AEBA61778171737989E1EE309
                """, checksum: "FDD7139EC7E0C33167FD61AD3CADBD68D66E91C5"),
    ]

    private func load(_ key: Published, exponent: [UInt8] = [3]) throws -> CAPublicKey {
        let hex = CertificateFixture.hex
        return try CAPublicKey(
            rid: hex(key.rid), index: key.index, modulus: hex(key.modulus), exponent: exponent,
            checksum: hex(key.checksum))
    }

    // EMV Book 2 §11.2.1: the check sum of a certification authority's key is made over RID, index, modulus and
    // exponent
    @Test(arguments: published) func `the checksum of a published key fits`(key: Published) throws {
        #expect(try load(key).checksum == CertificateFixture.hex(key.checksum))
    }

    // EMV Book 2 §11.2.1: a key whose check sum does not fit is not introduced into the terminal
    @Test(arguments: published) func `a key with one wrong digit or another exponent is refused`(key: Published) {
        let mistyped = Published(
            rid: key.rid, index: key.index, modulus: "8" + key.modulus.dropFirst(), checksum: key.checksum)
        let mismatch = CAPublicKeyError.checksumMismatch(rid: CertificateFixture.hex(key.rid), index: key.index)
        #expect(throws: mismatch) { try load(mistyped) }
        #expect(throws: mismatch) { try load(key, exponent: [1, 0, 1]) }
    }

    // EMV Book 2 annex B2.1: public exponents are 3 and 65537, and a modulus has at most 248 bytes
    @Test func `lengths and exponents outside of EMV are rejected`() {
        let modulus = [UInt8](repeating: 0xFF, count: 128)
        #expect(throws: CAPublicKeyError.ridLength(4)) {
            try CAPublicKey(rid: [1, 2, 3, 4], index: 1, modulus: modulus, exponent: [3], checksum: nil)
        }
        #expect(throws: CAPublicKeyError.modulusLength(249)) {
            try CAPublicKey(
                rid: [1, 2, 3, 4, 5], index: 1, modulus: [UInt8](repeating: 0xFF, count: 249), exponent: [3],
                checksum: nil)
        }
        #expect(throws: CAPublicKeyError.exponent([5])) {
            try CAPublicKey(rid: [1, 2, 3, 4, 5], index: 1, modulus: modulus, exponent: [5], checksum: nil)
        }
        #expect(throws: CAPublicKeyError.cryptography(.unusableModulus(128))) {
            try CAPublicKey(
                rid: [1, 2, 3, 4, 5], index: 1, modulus: [UInt8](repeating: 2, count: 128), exponent: [3],
                checksum: nil)
        }
    }

    @Test func `the message about a wrong checksum names the key`() {
        let error = CAPublicKeyError.checksumMismatch(rid: [0xA0, 0, 0, 0, 3], index: 0x92)
        #expect(error.description.contains("A000000003 92"))
    }
}
