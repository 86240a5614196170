import CardSecrets
import Cryptography
import Testing

struct MACTests {
    // EMV Book 2 annex A1.2.1: the MAC is ISO 9797-1 algorithm 3: single DES under the first key up to the last
    // block, which is enciphered under both
    @Test func `algorithm 3 with both paddings gives the examples of ISO 9797-1 annex B`() throws {
        let secret = key("0123456789ABCDEF FEDCBA9876543210")
        let first = Array("Now is the time for all ".utf8)
        let second = Array("Now is the time for it".utf8)
        #expect(try RetailMAC.mac(first, key: secret, padding: .zeros) == hex("A1C72E74EA3FA9B6"))
        #expect(try RetailMAC.mac(first, key: secret, padding: .markerAndZeros) == hex("E9086230CA3BE796"))
        #expect(try RetailMAC.mac(second, key: secret, padding: .zeros) == hex("2E2B1428CC78254F"))
        #expect(try RetailMAC.mac(second, key: secret, padding: .markerAndZeros) == hex("5A692CE64F404145"))
    }

    @Test func `a single key gives algorithm 1`() throws {
        let message = Array("Now is the time for all ".utf8)
        #expect(
            try RetailMAC.mac(message, key: key("0123456789ABCDEF"), padding: .zeros) == hex("70A30640CC76DD8B"))
    }

    @Test func `an empty message is one block of padding`() throws {
        let secret = key("0123456789ABCDEF FEDCBA9876543210")
        #expect(
            try RetailMAC.mac([], key: secret, padding: .zeros)
                == TripleDES.encrypt(hex("0000000000000000"), key: secret))
        #expect(
            try RetailMAC.mac([], key: secret, padding: .markerAndZeros)
                == TripleDES.encrypt(hex("8000000000000000"), key: secret))
    }

    @Test func `a retail MAC takes no key of three parts`() {
        #expect(throws: CryptographyError.keyLength(24, algorithm: "retail MAC")) {
            try RetailMAC.mac([1], key: SensitiveBytes([UInt8](repeating: 1, count: 24)), padding: .zeros)
        }
    }

    // EMV Book 2 annex A1.2: the MAC under an AES key is CMAC
    @Test(arguments: [
        (0, "BB1D6929E95937287FA37D129B756746"), (16, "070A16B46B4D4144F79BDD9DD04A287C"),
        (40, "DFA66747DE9AE63030CA32611497C827"), (64, "51F0BEBF7E3B9D92FC49741779363CFE"),
    ])
    func `CMAC comes out as in RFC 4493`(count: Int, mac: String) throws {
        let message = hex(
            """
            6BC1BEE22E409F96E93D7E117393172A AE2D8A571E03AC9C9EB76FAC45AF8E51
            30C81C46A35CE411E5FBC1191A0A52EF F69F2445DF4F9B17AD2B417BE66C3710
            """)
        let secret = key("2B7E151628AED2A6ABF7158809CF4F3C")
        #expect(try AESCMAC.mac(Array(message.prefix(count)), key: secret) == hex(mac))
    }

    @Test func `CMAC with a key of 32 bytes comes out as in NIST SP 800-38B`() throws {
        let secret = key("603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4")
        #expect(
            try AESCMAC.mac(hex("6BC1BEE22E409F96E93D7E117393172A"), key: secret)
                == hex("28A7023F452E8F82BD4BF28D8C37C35C"))
    }

    // Appendix D: three keys (D.4) and two keys (D.5)
    @Test(arguments: [
        (0, "B7A688E122FFAF95", "BD2EBF9A3BA00361"), (8, "8E8F293136283797", "4FF2AB813C53CE83"),
        (20, "743DDBE0CE2DC2ED", "62DD1B471902BD4E"), (32, "33E6B1092400EAE5", "31B1E431DABC4EB8"),
    ])
    func `CMAC with triple DES comes out as in NIST SP 800-38B`(count: Int, three: String, two: String) throws {
        let message = hex("6BC1BEE22E409F96E93D7E117393172A AE2D8A571E03AC9C9EB76FAC45AF8E51")
        let first = key("8AA83BF8CBDA10620BC1BF19FBB6CD58BC313D4A371CA8B5")
        let second = key("4CF15134A2850DD58A3D10BA80570D38")
        #expect(try TripleDESCMAC.mac(Array(message.prefix(count)), key: first) == hex(three))
        #expect(try TripleDESCMAC.mac(Array(message.prefix(count)), key: second) == hex(two))
    }

    @Test func `a chained MAC with one key twice is algorithm 1 with single DES`() throws {
        let message = Array("Now is the time for all ".utf8)
        let expected = hex("70A30640CC76DD8B")
        #expect(try ChainedMAC.mac(message, key: key("0123456789ABCDEF"), padding: .zeros) == expected)
        #expect(
            try ChainedMAC.mac(message, key: key("0123456789ABCDEF0123456789ABCDEF"), padding: .zeros) == expected)
        #expect(
            try ChainedMAC.mac(message, key: key("0123456789ABCDEFFEDCBA9876543210"), padding: .zeros) != expected)
    }

    // The keys and values of psec and of the annexes of ANSI X9.24
    @Test func `check values are those that hosts print`() throws {
        let pair = key("0123456789ABCDEFFEDCBA9876543210")
        #expect(try KeyCheckValue.compute(pair, .tripleDES).prefix(5) == hex("08D7B4FB62")[...])
        let three = key("0123456789ABCDEF23456789ABCDEF01456789ABCDEF0123")
        #expect(try KeyCheckValue.compute(three, .tripleDES).prefix(5) == hex("4EBA739C99")[...])
        let aes = key("2B7E151628AED2A6ABF7158809CF4F3C")
        #expect(try KeyCheckValue.compute(aes, .aes).prefix(5) == hex("7AD386C376")[...])
        let code = key("00112233445566778899AABBCCDDEEFF")
        #expect(try KeyCheckValue.compute(code, .hmac).prefix(3) == hex("E8A065")[...])
    }
}
