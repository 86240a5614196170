import CardSecrets
import Cryptography
import Testing

struct AESTests {
    private static let plain = hex("00112233445566778899AABBCCDDEEFF")

    @Test(arguments: [
        ("000102030405060708090A0B0C0D0E0F", "69C4E0D86A7B0430D8CDB78070B4C55A"),
        ("000102030405060708090A0B0C0D0E0F1011121314151617", "DDA97CA4864CDFE06EAF70A0EC0D7191"),
        (
            "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
            "8EA2B7CA516745BFEAFC49904B496089"
        ),
    ])
    func `a block comes out as in FIPS 197`(secret: String, enciphered: String) throws {
        #expect(try AES.encrypt(Self.plain, key: key(secret)) == hex(enciphered))
        #expect(try AES.decrypt(hex(enciphered), key: key(secret)) == Self.plain)
        #expect(try AES.encrypt(SensitiveBytes(Self.plain), key: key(secret)).revealed == hex(enciphered))
        #expect(try AES.decrypt(key(enciphered), key: key(secret)).revealed == Self.plain)
    }

    @Test(arguments: [
        ("2B7E151628AED2A6ABF7158809CF4F3C", "7649ABAC8119B246CEE98E9B12E9197D"),
        ("8E73B0F7DA0E6452C810F32B809079E562F8EAD2522C6B7B", "4F021DB243BC633D7178183A9FA071E8"),
        (
            "603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4",
            "F58C4C04D6E5F1BA779EABFB5F7BFBD6"
        ),
    ])
    func `chaining comes out as in NIST SP 800-38A`(secret: String, enciphered: String) throws {
        let plain = hex("6BC1BEE22E409F96E93D7E117393172A")
        let start = hex("000102030405060708090A0B0C0D0E0F")
        #expect(try AES.encrypt(plain, key: key(secret), initializationVector: start) == hex(enciphered))
        #expect(try AES.decrypt(hex(enciphered), key: key(secret), initializationVector: start) == plain)
    }

    @Test func `a key of another length is refused`() {
        #expect(throws: CryptographyError.keyLength(8, algorithm: "AES")) {
            try AES.encrypt(Self.plain, key: key("0123456789ABCDEF"))
        }
    }

    @Test func `part of a block is refused`() {
        #expect(throws: CryptographyError.dataLength(8, algorithm: "AES-128-ECB")) {
            try AES.decrypt(hex("0011223344556677"), key: key("000102030405060708090A0B0C0D0E0F"))
        }
    }

    @Test func `counter mode comes out as in NIST SP 800-38A`() throws {
        let secret = "2B7E151628AED2A6ABF7158809CF4F3C"
        let counter = hex("F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF")
        let plain = hex("6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E51")
        let enciphered = hex("874D6191B620E3261BEF6864990DB6CE9806F66B7970FDFF8617187BB9FFFDFF")
        #expect(try AESCTR.apply(plain, key: key(secret), counter: counter) == enciphered)
        #expect(try AESCTR.apply(enciphered, key: key(secret), counter: counter) == plain)
        #expect(try AESCTR.apply(SensitiveBytes(plain), key: key(secret), counter: counter).revealed == enciphered)
        for count in 0..<32 {
            let part = Array(plain.prefix(count))
            #expect(try AESCTR.apply(part, key: key(secret), counter: counter) == Array(enciphered.prefix(count)))
        }
    }

    @Test func `a counter of ones goes on with zero`() throws {
        let secret = "2B7E151628AED2A6ABF7158809CF4F3C"
        let zeros = [UInt8](repeating: 0, count: 32)
        let both = try AESCTR.apply(zeros, key: key(secret), counter: [UInt8](repeating: 0xFF, count: 16))
        let second = try AESCTR.apply(
            Array(zeros.prefix(16)), key: key(secret), counter: [UInt8](repeating: 0, count: 16))
        #expect(Array(both.suffix(16)) == second)
    }

    @Test func `a counter of another length is refused`() {
        #expect(throws: CryptographyError.initializationVectorLength(2, algorithm: "AES-CTR")) {
            try AESCTR.apply([1], key: key("2B7E151628AED2A6ABF7158809CF4F3C"), counter: [0x80, 0x00])
        }
    }
}
