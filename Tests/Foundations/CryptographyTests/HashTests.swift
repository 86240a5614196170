import CardSecrets
import Cryptography
import Testing

struct HashTests {
    // EMV Book 2 annex B3.1: the hash of signatures is SHA-1
    @Test func `SHA-1 comes out as in FIPS 180`() throws {
        #expect(try SHA1.hash(Array("abc".utf8)) == hex("A9993E364706816ABA3E25717850C26C9CD0D89D"))
        #expect(try SHA1.hash([]) == hex("DA39A3EE5E6B4B0D3255BFEF95601890AFD80709"))
        #expect(
            try SHA1.hash(SensitiveBytes(Array("abc".utf8))) == hex("A9993E364706816ABA3E25717850C26C9CD0D89D"))
    }

    @Test func `SHA-256 comes out as in FIPS 180`() throws {
        let abc = hex("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD")
        #expect(try SHA256.hash(Array("abc".utf8)) == abc)
        #expect(try SHA256.hash(SensitiveBytes(Array("abc".utf8))) == abc)
        #expect(
            try SHA256.hash(SensitiveBytes([]))
                == hex("E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"))
    }

    // Book E chapter 8: the hash of signatures with P-521 is SHA-512
    @Test func `SHA-512 comes out as in FIPS 180`() throws {
        #expect(
            try SHA512.hash(Array("abc".utf8))
                == hex(
                    """
                    DDAF35A193617ABACC417349AE20413112E6FA4E89A97EA20A9EEEE64B55D39A
                    2192992A274FC1A836BA3C23A3FEEBBD454D4423643CE80E2A9AC94FA54CA49F
                    """))
    }
}
