import CardSecrets
import Cryptography
import Testing

struct HMACTests {
    private static let question = Array("what do ya want for nothing?".utf8)

    @Test func `HMAC with SHA-256 comes out as in RFC 4231`() throws {
        #expect(
            try HMAC.code(Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20))
                == hex("B0344C61D8DB38535CA8AFCEAF0BF12B881DC200C9833DA726E9376C2E32CFF7"))
        #expect(
            try HMAC.code(Self.question, key: Array("Jefe".utf8))
                == hex("5BDCC146BF60754E6A042426089575C75A003F089D2739839DEC58B964EC3843"))
        let long = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            try HMAC.code(long, key: [UInt8](repeating: 0xAA, count: 131))
                == hex("60E431591EE0B67F0D8A26AACBF5B77F8E0BC6213728C5140546040F0EE37F54"))
    }

    @Test(arguments: [1, 20, 64, 65, 131])
    func `a secret key gives the same code as its bytes`(count: Int) throws {
        let bytes = (0..<count).map { UInt8($0) }
        #expect(try HMAC.code(Self.question, key: SensitiveBytes(bytes)) == HMAC.code(Self.question, key: bytes))
    }

    @Test func `HMAC with SHA-1 comes out as in RFC 2202`() throws {
        #expect(
            try HMAC.code(Self.question, key: Array("Jefe".utf8), hash: .sha1)
                == hex("EFFCDF6AE5EB2FA2D27416D5F184DF9C259A7C79"))
    }
}
