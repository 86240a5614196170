import CardSecrets
import Cryptography
import Testing

struct AESGCMTests {
    private static let secret = "FEFFE9928665731C6D6A8F9467308308FEFFE9928665731C6D6A8F9467308308"
    private static let nonce = hex("CAFEBABEFACEDBADDECAF888")
    private static let context = hex("FEEDFACEDEADBEEFFEEDFACEDEADBEEFABADDAD2")
    private static let plain = hex(
        """
        D9313225F88406E5A55909C5AFF5269A86A7A9531534F7DA2E4C303D8A318A72
        1C3C0C95956809532FCF0E2449A6B525B16AEDF5AA0DE657BA637B39
        """)
    private static let sealed = hex(
        """
        522DC1F099567D07F47F37A32A84427D643A8CDCBFE5C0C97598A2BD2555D1AA
        8CB08E48590DBB3DA7B08B1056828838C5F61E6393BA7A0ABCC9F662
        76FC6ECE0F4E1768CDDF8853BB2D551B
        """)

    @Test func `data and tag come out as in the test cases 13 and 16 of the mode's authors`() throws {
        let zeros = key(String(repeating: "0", count: 64))
        let none = try AESGCM.seal(SensitiveBytes([]), key: zeros, nonce: hex("000000000000000000000000"), context: [])
        #expect(none == hex("530F8AFBC74536B9A963B4F1C4CB738B"))
        let sealed = try AESGCM.seal(
            SensitiveBytes(Self.plain), key: key(Self.secret), nonce: Self.nonce, context: Self.context)
        #expect(sealed == Self.sealed)
        #expect(
            try AESGCM.open(Self.sealed, key: key(Self.secret), nonce: Self.nonce, context: Self.context).revealed
                == Self.plain)
    }

    @Test func `nothing opens when data, tag, nonce, context, or key is another one`() {
        var changed = Self.sealed
        changed[0] ^= 1
        var tag = Self.sealed
        tag[tag.count - 1] ^= 1
        let other = String(repeating: "0", count: 64)
        for (sealed, secret, nonce, context) in [
            (changed, Self.secret, Self.nonce, Self.context), (tag, Self.secret, Self.nonce, Self.context),
            (Self.sealed, other, Self.nonce, Self.context),
            (Self.sealed, Self.secret, hex("CAFEBABEFACEDBADDECAF889"), Self.context),
            (Self.sealed, Self.secret, Self.nonce, []), ([1, 2, 3], Self.secret, Self.nonce, Self.context),
        ] {
            #expect(throws: CryptographyError.notAuthentic) {
                _ = try AESGCM.open(sealed, key: key(secret), nonce: nonce, context: context).count
            }
        }
    }

    @Test func `a key or a nonce of another length is refused`() {
        #expect(throws: CryptographyError.keyLength(16, algorithm: "AES-256-GCM")) {
            try AESGCM.seal(
                SensitiveBytes([1]), key: key("000102030405060708090A0B0C0D0E0F"), nonce: Self.nonce, context: [])
        }
        #expect(throws: CryptographyError.initializationVectorLength(8, algorithm: "AES-256-GCM")) {
            try AESGCM.seal(
                SensitiveBytes([1]), key: key(Self.secret), nonce: hex("0001020304050607"), context: [])
        }
    }
}
