import Testing
import Text

@testable import StoreSite

struct SignInTests {
    private let caller = SiteCaller()

    private func code(_ answer: SiteAnswer) -> String? {
        let body = JSONReader.node(answer.response.body)
        return body?["code"]?.plainText ?? body?["error"]?.plainText
    }

    @Test func `without credentials only the index is accessible`() {
        let orders = caller.raw("GET", "/wp-json/wc/v3/orders", headers: [])
        #expect(orders.response.status == 401)
        #expect(code(orders) == "woocommerce_rest_cannot_view")
        #expect(code(caller.raw("GET", "/wp-json/wp/v2/users/me", headers: [])) == "rest_not_logged_in")
        #expect(caller.raw("GET", "/wp-json/", headers: []).response.status == 200)
        #expect(caller.raw("GET", "/?rest_route=/", headers: []).response.status == 200)
    }

    // `nobody:pw`, `shopkeeper:wrong`, and invalid base64.
    @Test(arguments: [
        ("Basic bm9ib2R5OnB3", "invalid_username"), ("Basic c2hvcGtlZXBlcjp3cm9uZw==", "incorrect_password"),
        ("Basic !!!", "woocommerce_rest_cannot_view"), ("Basic", "woocommerce_rest_cannot_view"),
        ("Bearer token", "woocommerce_rest_cannot_view"),
    ])
    func `wrong credentials are rejected like in WordPress`(_ header: String, _ expected: String) {
        let answer = caller.raw("GET", "/wp-json/wc/v3/orders", headers: [("Authorization", header)])
        #expect(answer.response.status == 401)
        #expect(code(answer) == expected)
    }

    @Test func `an application password is created, used, and revoked`() throws {
        let made = try caller.call("POST", "/wp/v2/users/me/application-passwords", json: #"{"name":"Program"}"#)
        let password = try #require(made["password"]?.plainText)
        let uuid = try #require(made["uuid"]?.plainText)
        #expect(password.split(separator: " ").map(\.count) == [4, 4, 4, 4, 4, 4])
        let again = caller.raw(
            "POST", "/wp-json/wp/v2/users/me/application-passwords", json: #"{"name":"Program"}"#)
        #expect(again.response.status == 409)
        let header = [(name: "Authorization", value: "Basic " + Self.base64("shopkeeper:\(password)"))]
        #expect(caller.raw("GET", "/wp-json/wc/v3/orders", headers: header).response.status == 200)
        let known = try caller.list("/wp/v2/users/me/application-passwords")
        #expect(known.contains { $0["uuid"]?.plainText == uuid && $0["password"] == nil })
        _ = try caller.call("DELETE", "/wp/v2/users/me/application-passwords/\(uuid)")
        #expect(caller.raw("GET", "/wp-json/wc/v3/orders", headers: header).response.status == 401)
    }

    private static func base64(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var bits = text.utf8.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        while bits.count % 6 != 0 { bits.append(0) }
        var letters = stride(from: 0, to: bits.count, by: 6).map { start in
            alphabet[bits[start..<(start + 6)].reduce(0) { $0 << 1 | Int($1) }]
        }
        while letters.count % 4 != 0 { letters.append("=") }
        return String(letters)
    }

    private func signIn(_ password: String) -> SiteAnswer {
        let body = "log=shopkeeper&pwd=\(password)&redirect_to=http%3A%2F%2Fevil.example%2F"
        return caller.site.answer(
            SiteRequest(
                method: "POST", target: "/wp-login.php",
                headers: [("Content-Type", "application/x-www-form-urlencoded")], body: Array(body.utf8)))
    }

    @Test func `a browser signs in, and its scripts need the nonce`() throws {
        let answer = signIn("p+w").response
        #expect(answer.status == 302)
        #expect(answer.headers.first { $0.name == "Location" }?.value == "http://store.example/wp-admin/")
        let cookie = try #require(
            answer.headers.first { $0.name == "Set-Cookie" && $0.value.hasPrefix("wordpress_logged_in_") }
        ).value.prefix { $0 != ";" }
        let session: [(name: String, value: String)] = [("Cookie", String(cookie))]
        let nonce = caller.raw("GET", "/wp-admin/admin-ajax.php?action=rest-nonce", headers: session).response
        #expect(nonce.status == 200)
        let text = String(decoding: nonce.body, as: UTF8.self)
        let orders = "/wp-json/wc/v3/orders"
        #expect(caller.raw("GET", orders, headers: session + [("X-WP-Nonce", text)]).response.status == 200)
        #expect(caller.raw("GET", orders, headers: session).response.status == 401)
        let wrong = caller.raw("GET", orders, headers: session + [("X-WP-Nonce", "0000000000")])
        #expect(wrong.response.status == 403)
        #expect(code(wrong) == "rest_cookie_invalid_nonce")
    }

    @Test func `a wrong password shows the form again`() {
        let answer = signIn("wrong").response
        #expect(answer.status == 200)
        #expect(!answer.headers.contains { $0.name == "Set-Cookie" })
        #expect(caller.raw("GET", "/wp-admin/admin-ajax.php?action=rest-nonce", headers: []).response.status == 400)
    }

    @Test func `new secrets replace the old ones, also after a reset, and sessions stay`() throws {
        let cookie = try #require(
            signIn("p+w").response.headers.first {
                $0.name == "Set-Cookie" && $0.value.hasPrefix("wordpress_logged_in_")
            }
        ).value.prefix { $0 != ";" }
        caller.site.replaceSecrets(
            password: SitePassword("n w"), token: SitePassword("other"),
            consumerKeys: [ConsumerKey(key: "ck_new", secret: SitePassword("cs_new"))])
        let new = [(name: "Authorization", value: "Basic " + Self.base64("shopkeeper:nw"))]
        func keyed(_ pair: String) -> Int {
            caller.raw(
                "GET", "/wp-json/wc/v3/orders",
                headers: [("Authorization", "Basic " + Self.base64(pair)), ("X-Forwarded-Proto", "https")]
            ).response.status
        }
        func check() {
            #expect(caller.raw("GET", "/wp-json/wc/v3/orders").response.status == 401)
            #expect(caller.raw("GET", "/wp-json/wc/v3/orders", headers: new).response.status == 200)
            #expect(caller.raw("GET", "/rest/v1.1/me", headers: SiteCaller.bearer).response.status == 401)
            #expect(
                caller.raw("GET", "/rest/v1.1/me", headers: [("Authorization", "Bearer other")]).response.status
                    == 200)
            #expect(keyed("ck_full:cs_secret") == 401)
            #expect(keyed("ck_new:cs_new") == 200)
            #expect(signIn("p+w").response.status == 200)
            #expect(signIn("n+w").response.status == 302)
        }
        check()
        let nonce = caller.raw(
            "GET", "/wp-admin/admin-ajax.php?action=rest-nonce", headers: [("Cookie", String(cookie))])
        #expect(nonce.response.status == 200)
        _ = caller.raw("POST", "/_simulator/reset", headers: [("Host", "127.0.0.1")])
        check()
    }

    @Test func `WordPress.com requires its token`() {
        let missing = caller.raw("GET", "/rest/v1.1/me", headers: [])
        #expect(missing.response.status == 403)
        #expect(code(missing) == "authorization_required")
        let wrong = caller.raw("GET", "/rest/v1.1/me", headers: [("Authorization", "Bearer other")])
        #expect(wrong.response.status == 401)
        #expect(code(wrong) == "invalid_token")
        #expect(caller.raw("GET", "/rest/v1.1/me", headers: SiteCaller.bearer).response.status == 200)
    }

    @Test func `the tunnel has an envelope and its own error format`() throws {
        let id = try caller.unpaidOrder()
        func tunnel(_ path: String) -> SiteAnswer {
            let query =
                "json=true&path=\(PercentEncoding.encode(path + "&_method=get"))&query=%7B%22_fields%22%3A%22id%22%7D"
            return caller.raw(
                "GET", "/rest/v1.1/jetpack-blogs/\(caller.site.siteIDs[0])/rest-api/?\(query)",
                headers: SiteCaller.bearer)
        }
        #expect(
            String(decoding: tunnel("/wc/v3/orders/\(id)").response.body, as: UTF8.self) == #"{"data":{"id":\#(id)}}"#)
        let missing = tunnel("/wc/v3/orders/9999999")
        #expect(missing.response.status == 404)
        #expect(code(missing) == "woocommerce_rest_shop_order_invalid_id")
        #expect(JSONReader.node(missing.response.body)?["error"] != nil)
    }

    @Test func `the second site has no shop`() {
        let own = [(name: "Authorization", value: "Basic c2hvcGtlZXBlcjpwdw==")]
        #expect(code(caller.raw("GET", "/blog/wp-json/wc/v3/orders", headers: own)) == "rest_no_route")
        #expect(caller.raw("GET", "/blog/?rest_route=/wp/v2/users/me", headers: own).response.status == 200)
    }

    @Test func `recorded requests contain no secrets`() throws {
        _ = signIn("p+w")
        _ = caller.raw("GET", "/wp-json/wc/v3/orders?search=canary")
        let log =
            "\(caller.site.requests)"
            + String(decoding: caller.raw("GET", "/_simulator/requests").response.body, as: UTF8.self)
        for secret in ["p+w", "c2hvcGtlZXBlcjpwdw", "canary", "Basic"] { #expect(!log.contains(secret), "\(secret)") }
    }
}
