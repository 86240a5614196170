import CardSecrets
import Cryptography
import Testing

struct PBKDF2Tests {
    private func derive(
        _ passphrase: String, _ salt: String, _ rounds: Int, _ count: Int, _ hash: HMAC.Hash
    ) throws -> [UInt8] {
        try PBKDF2.derive(
            SensitiveBytes(Array(passphrase.utf8)), salt: Array(salt.utf8), rounds: rounds, count: count, hash: hash
        ).withUnsafeBytes { [UInt8]($0) }
    }

    @Test func `keys with SHA-1 come out as in RFC 6070`() throws {
        #expect(try derive("password", "salt", 1, 20, .sha1) == hex("0C60C80F961F0E71F3A9B524AF6012062FE037A6"))
        #expect(try derive("password", "salt", 4096, 20, .sha1) == hex("4B007901B765489ABEAD49D926F721D065A429C1"))
        #expect(
            try derive(
                "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, 25, .sha1)
                == hex("3D2EEC4FE41C849B80C8D83662C0E44A8B291A964CF2F07038"))
    }

    @Test func `keys with SHA-256 come out as in RFC 7914`() throws {
        #expect(
            try derive("passwd", "salt", 1, 64, .sha256)
                == hex(
                    "55AC046E56E3089FEC1691C22544B605F94185216DDE0465E68B9D57C20DACBC"
                        + "49CA9CCCF179B645991664B39D77EF317C71B845B1E30BD509112041D3A19783"))
    }

    @Test(arguments: [(0, 20), (1, 0), (-1, 20)])
    func `no rounds and no bytes are refused`(rounds: Int, count: Int) throws {
        #expect(throws: CryptographyError.self) { try derive("a", "b", rounds, count, .sha1) }
    }

    @Test func `an empty passphrase has a key, too`() throws {
        #expect(try derive("", "salt", 1, 20, .sha1) == hex("A33DDDC30478185515311F8752895D36EA4363A2"))
    }
}
