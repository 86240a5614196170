import CardSecrets
import Cryptography
import Testing
import Text

@testable import HostSecurity

@Suite("The key for card data that later messages need")
struct StorageKeyTests {
    private static let digits = "603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4"

    @Test func `it is one of AES with 32 bytes, under its name in the key file`() throws {
        let key = try HostKey(HostKeys.storageName, .aes, SensitiveBytes(hex(Self.digits)))
        let check = key.checkValue.prefix(3).hexadecimal
        var bytes = Array("storage: { cipher: aes, key: \(Self.digits), check: \(check) }\n".utf8)
        #expect(try HostKeys(replacingKeysIn: &bytes, file: "keys.yaml").storage?.checkValue == key.checkValue)
        let keys = HostKeys([key])
        #expect(keys.storage?.keepsCardData == true)
        #expect(HostKeys([]).storage == nil)
        for (cipher, count) in [(HostKey.Cipher.aes, 16), (.tripleDES, 24), (.hmac, 32)] {
            let other = try HostKey(HostKeys.storageName, cipher, SensitiveBytes([UInt8](repeating: 7, count: count)))
            #expect(!other.keepsCardData)
        }
    }

    @Test func `its CMAC is that of NIST SP 800-38B`() async throws {
        let key = try HostKey(HostKeys.storageName, .aes, SensitiveBytes(hex(Self.digits)))
        #expect(try await key.cmac(of: []) == hex("028962F61B7BF89EFC6B551F4667D983"))
        #expect(
            try await key.cmac(of: hex("6BC1BEE22E409F96E93D7E117393172A"))
                == hex("28A7023F452E8F82BD4BF28D8C37C35C"))
    }

    @Test func `a token makes the same CMAC with a key that it keeps`() async throws {
        let keys = try await HostKeys.load(try SoftHSM.uri("till"))
        let inToken = try #require(keys["PEK"])
        let inMemory = try HostKey("PEK", .aes, SensitiveBytes(hex(SoftHSM.aes)))
        #expect(inToken.keepsCardData)
        for count in [0, 16, 61] {
            let data = [UInt8](repeating: 3, count: count)
            #expect(try await inToken.cmac(of: data) == inMemory.cmac(of: data))
        }
    }
}
