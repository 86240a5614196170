import Cryptography
import Determinism
import Testing
import Text

@testable import StoreSite

struct ConsumerKeyTests {
    private let caller = SiteCaller(orders: 12)
    private static let secure: [(name: String, value: String)] = [("X-Forwarded-Proto", "https")]
    /// 2026-01-02T12:00:00Z, when the caller's store starts.
    private static let start = 1_767_355_200

    private func code(_ answer: SiteAnswer) -> String? {
        JSONReader.node(answer.response.body)?["code"]?.plainText
    }

    /// `ck_full:cs_secret` and `ck_read:cs_read`
    private static let full = ("Authorization", "Basic Y2tfZnVsbDpjc19zZWNyZXQ=")
    private static let read = ("Authorization", "Basic Y2tfcmVhZDpjc19yZWFk")

    private func signed(
        _ method: String, _ path: String, query: [(String, String)] = [], key: String = "ck_full",
        secret: String = "cs_secret", at seconds: Int = start, nonce: String = "n1", hash: String = "HMAC-SHA256",
        signature: String? = nil
    ) -> SiteAnswer {
        let fields =
            query.map { (name: $0.0, value: $0.1) } + [
                ("oauth_consumer_key", key), ("oauth_timestamp", String(seconds)), ("oauth_nonce", nonce),
                ("oauth_signature_method", hash),
            ]
        let base = ConsumerKeyring.base(method, "http://store.example\(path)", SiteParameters(fields: fields))
        let own = SitePassword(secret).signature(
            of: Array(base.utf8), hash: hash == "HMAC-SHA1" ? .sha1 : .sha256, suffix: "&")
        let form = PercentEncoding.form(fields + [("oauth_signature", signature ?? own ?? "")])
        return caller.raw(method, "\(path)?\(form)", headers: [])
    }

    @Test func `over TLS a key is shown, with Basic or in the query`() {
        let path = "/wp-json/wc/v3/orders"
        #expect(caller.raw("GET", path, headers: Self.secure + [Self.full]).response.status == 200)
        let query = "?consumer_key=ck_full&consumer_secret=cs_secret"
        #expect(caller.raw("GET", path + query, headers: Self.secure).response.status == 200)
        let wrong = caller.raw("GET", path + query + "x", headers: Self.secure)
        #expect(wrong.response.status == 401)
        #expect(code(wrong) == "woocommerce_rest_authentication_error")
    }

    @Test func `without TLS a key that is shown counts for nothing`() {
        let path = "/wp-json/wc/v3/orders"
        let basic = caller.raw("GET", path, headers: [Self.full])
        #expect(basic.response.status == 401)
        #expect(code(basic) == "woocommerce_rest_cannot_view")
        let far = caller.raw("GET", path, headers: Self.secure + [Self.full], isFromLoopback: false)
        #expect(far.response.status == 401)
        let query = "?consumer_key=ck_full&consumer_secret=cs_secret"
        #expect(caller.raw("GET", path + query, headers: []).response.status == 401)
    }

    // The signatures are those of the package 'woocommerce' 3.0.0 of PyPI.
    @Test func `a signature of the official client is accepted`() {
        let own = signed(
            "GET", "/wp-json/wc/v3/orders", query: [("per_page", "5"), ("search", "a b&c")],
            signature: "hje0iztqGkTUOtHkaBJ1pCnsxyV8aXXuChV92bSs0KQ=")
        #expect(own.response.status == 200)
        let other = signed(
            "POST", "/wp-json/wc/v3/coupons", nonce: "n1", signature: "75UDAtmN4Qr7cOs1Wi1dN/K7qEqwxuzNckXasEOMvkc=")
        #expect(code(other) == "woocommerce_rest_authentication_error", "the nonce was used")
    }

    @Test(arguments: ["HMAC-SHA256", "HMAC-SHA1"])
    func `a signed request is accepted once`(_ hash: String) {
        let path = "/wp-json/wc/v3/orders"
        #expect(signed("GET", path, query: [("page", "1"), ("page", "2")], hash: hash).response.status == 200)
        #expect(signed("GET", path, hash: hash).response.status == 401)
        #expect(signed("GET", path, nonce: "n2", hash: hash).response.status == 200)
    }

    @Test func `a wrong signature, clock, key, or method is refused`() {
        let path = "/wp-json/wc/v3/orders"
        let answers = [
            signed("GET", path, secret: "cs_other"), signed("GET", path, at: Self.start - 1000),
            signed("GET", path, at: Self.start + 1000), signed("GET", path, key: "ck_none"),
            signed("GET", path, hash: "PLAINTEXT"),
            caller.raw("GET", path + "?oauth_consumer_key=ck_full", headers: []),
        ]
        for answer in answers {
            #expect(answer.response.status == 401)
            #expect(code(answer) == "woocommerce_rest_authentication_error")
        }
    }

    @Test func `a key for reading changes nothing`() {
        let headers = Self.secure + [Self.read]
        let answer = caller.raw("POST", "/wp-json/wc/v3/orders", json: "{}", headers: headers)
        #expect(answer.response.status == 401)
        #expect(caller.site.orders.count == 12)
        let list = caller.raw("GET", "/wp-json/wc/v3/orders", headers: headers).response
        #expect(list.status == 200)
        #expect(list.headers.contains { $0.name == "Allow" && $0.value == "GET" })
    }

    @Test func `credentials in the query are not repeated in links`() throws {
        let query = "?per_page=2&consumer_key=ck_full&consumer_secret=cs_secret"
        let answer = caller.raw("GET", "/wp-json/wc/v3/orders" + query, headers: Self.secure).response
        let link = try #require(answer.headers.first { $0.name == "Link" }?.value)
        #expect(link.contains("per_page=2&page=2") && !link.contains("secret"), "\(link)")
    }

    @Test(arguments: ["evil.example", "evil.example:8181", "127.0.0.1.evil.example", "localhost.evil.example"])
    func `control requests name this machine as their host`(_ host: String) {
        for method in ["GET", "POST"] {
            let answer = caller.raw(method, "/_simulator/state", headers: [("Host", host)])
            #expect(answer.response.status == 403)
        }
        for host in ["127.0.0.1:8181", "localhost", "LOCALHOST:1", "[::1]:8181"] {
            #expect(caller.raw("GET", "/_simulator/ledger", headers: [("host", host)]).response.status == 200)
        }
    }
}
