import Determinism
import Networking
import Testing
import Text

struct WebAddressTests {
    @Test(arguments: [
        ("https://Shop.Example", "https://shop.example/"),
        ("HTTP://shop.example:80/", "http://shop.example/"),
        ("https://shop.example:8443/wp?a=b#c", "https://shop.example:8443/wp?a=b"),
        ("https://[::1]:80/x", "https://[::1]:80/x"),
        ("https://shop.example?x", "https://shop.example/?x"),
        ("https://shop.example/caf\u{E9}", "https://shop.example/caf%C3%A9"),
    ])
    func `an address is read`(text: String, expected: String) throws {
        #expect(try WebAddress(text).text == expected)
    }

    @Test(arguments: [
        ("shop.example", WebAddressError.notAbsolute("shop.example")),
        ("ftp://shop.example", .unsupportedScheme("ftp://shop.example")),
        ("https://user:canary@shop.example", .carriesCredentials),
        ("https://", .badHost("https://")),
        ("https://sh op", .badHost("https://sh op")),
        ("https://b\u{FC}cher.example", .badHost("https://b\u{FC}cher.example")),
        ("https://[::1", .badHost("https://[::1")),
        ("https://a:0/", .badPort("https://a:0/")),
        ("https://a:65536/", .badPort("https://a:65536/")),
        ("https://a:+8/", .badPort("https://a:+8/")),
        ("https://a/\r\nHost: b", .forbiddenCharacter("https://a/\r\nHost: b")),
        ("https://a/\\b", .forbiddenCharacter("https://a/\\b")),
    ])
    func `an invalid address is rejected`(text: String, error: WebAddressError) {
        #expect(throws: error) { try WebAddress(text) }
        #expect(!error.description.contains("canary"))
        #expect(!error.description.contains("\n"))
    }

    @Test(arguments: [
        ("https://b.example/x", "https://b.example/x"), ("//b.example/x", "https://b.example/x"),
        ("/x?y", "https://a.example/x?y"), ("x", "https://a.example/folder/x"),
    ])
    func `a redirection's place is resolved`(location: String, expected: String) throws {
        let address = try WebAddress("https://a.example/folder/page?query")
        #expect(try address.resolving(location).text == expected)
    }

    @Test func `a path is appended part by part and encoded`() throws {
        let address = try WebAddress("https://a.example/shop/")
        #expect(address.appending(path: "/wp-json/a b/?c/").text == "https://a.example/shop/wp-json/a%20b/%3Fc/")
    }

    @Test func `random text is an address or an error`() {
        let random = SeededRandomSource(seed: 1)
        for _ in 0..<2000 {
            let tail = String(decoding: random.bytes(12), as: UTF8.self)
            guard let address = try? WebAddress("https://" + tail) else { continue }
            #expect(address.text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            #expect((try? WebAddress(address.text)) == address)
        }
    }

    @Test func `encoding and decoding are inverse`() {
        let text = "a+b &=%\u{E9}\u{1F600}/?"
        #expect(PercentEncoding.decode(PercentEncoding.encode(text)) == text)
        #expect(PercentEncoding.encode("a b/c~") == "a%20b%2Fc~")
    }

    @Test(arguments: [
        ("https://shop.example/wp-admin", "https://shop.example/"),
        ("https://shop.example/en/wp-admin/", "https://shop.example/en/"),
        ("https://shop.example/wp-admin/profile.php?x=1", "https://shop.example/"),
        ("https://shop.example/shop/wp-login.php?redirect_to=a", "https://shop.example/shop/"),
        ("https://shop.example/wp-json/wc/v3", "https://shop.example/"),
        ("https://shop.example/index.php/wp-json/", "https://shop.example/"),
        ("https://shop.example/xmlrpc.php", "https://shop.example/"),
        ("https://shop.example", "https://shop.example/"), ("https://shop.example/shop", "https://shop.example/shop"),
        ("https://shop.example/my-wp-admin", "https://shop.example/my-wp-admin"),
        ("https://shop.example/?lang=de", "https://shop.example/?lang=de"),
    ])
    func `the site of an address is known by WordPress's own pages`(text: String, root: String) throws {
        #expect(try WebAddress(text).siteRoot.text == root)
    }
}
