import CardSecrets
import Cryptography
import Testing

struct TripleDESTests {
    @Test func `three keys in ECB give the example of NIST SP 800-67`() throws {
        let plain = Array("The qufck brown fox jump".utf8)
        let secret = key("0123456789ABCDEF 23456789ABCDEF01 456789ABCDEF0123")
        let enciphered = hex("A826FD8CE53B855F CCE21C8112256FE6 68D5C05DD9B6B900")
        #expect(try TripleDES.encrypt(plain, key: secret) == enciphered)
        #expect(try TripleDES.decrypt(enciphered, key: secret) == plain)
    }

    @Test func `a key of eight bytes is single DES, as in FIPS 81`() throws {
        let plain = Array("Now is the time for all ".utf8)
        let secret = key("0123456789ABCDEF")
        #expect(
            try TripleDES.encrypt(plain, key: secret) == hex("3FA40E8A984D4815 6A271787AB8883F9 893D51EC4B563B53"))
        let chained = try TripleDES.encrypt(plain, key: secret, initializationVector: hex("1234567890ABCDEF"))
        #expect(chained == hex("E5C7CDDE872BF27C 43E934008C389C0F 683788499A7C05F6"))
        #expect(try TripleDES.decrypt(chained, key: secret, initializationVector: hex("1234567890ABCDEF")) == plain)
    }

    // EMV Book 2 annex B1.1: triple DES with two keys enciphers, deciphers and enciphers, the first key also last
    @Test func `two keys are three keys of which the first and the last are one`() throws {
        let plain = hex("00112233445566778899AABBCCDDEEFF")
        let two = try TripleDES.encrypt(plain, key: key("0123456789ABCDEF FEDCBA9876543210"))
        let three = try TripleDES.encrypt(plain, key: key("0123456789ABCDEF FEDCBA9876543210 0123456789ABCDEF"))
        #expect(two == three)
    }

    @Test func `chaining is the same with two keys and with three`() throws {
        let plain = hex("00112233445566778899AABBCCDDEEFF")
        let start = hex("0102030405060708")
        let two = try TripleDES.encrypt(
            plain, key: key("0123456789ABCDEF FEDCBA9876543210"), initializationVector: start)
        let long = key("0123456789ABCDEF FEDCBA9876543210 0123456789ABCDEF")
        #expect(try TripleDES.encrypt(plain, key: long, initializationVector: start) == two)
        #expect(try TripleDES.decrypt(two, key: long, initializationVector: start) == plain)
    }

    @Test func `secret bytes are enciphered as others are`() throws {
        let secret = key("0123456789ABCDEF FEDCBA9876543210")
        let block = hex("041274EDCBA9876F")
        let enciphered = try TripleDES.encrypt(SensitiveBytes(block), key: secret)
        #expect(try enciphered.revealed == TripleDES.encrypt(block, key: secret))
        #expect(try TripleDES.decrypt(enciphered, key: secret).revealed == block)
    }

    @Test func `no data gives no data`() throws {
        #expect(try TripleDES.encrypt([], key: key("0123456789ABCDEF")) == [])
    }

    @Test(arguments: [0, 7, 15, 17, 23, 25]) func `a key of another length is refused`(count: Int) {
        #expect(throws: CryptographyError.keyLength(count, algorithm: "DES")) {
            try TripleDES.encrypt(hex("0000000000000000"), key: SensitiveBytes([UInt8](repeating: 1, count: count)))
        }
    }

    @Test func `part of a block is refused`() {
        #expect(throws: CryptographyError.dataLength(7, algorithm: "DES-EDE-ECB")) {
            try TripleDES.encrypt([1, 2, 3, 4, 5, 6, 7], key: key("0123456789ABCDEF"))
        }
    }

    @Test func `an initialization vector of another length is refused`() {
        #expect(throws: CryptographyError.initializationVectorLength(7, algorithm: "DES-EDE-CBC")) {
            try TripleDES.decrypt(
                hex("0000000000000000"), key: key("0123456789ABCDEF"), initializationVector: [1, 2, 3, 4, 5, 6, 7])
        }
    }
}
