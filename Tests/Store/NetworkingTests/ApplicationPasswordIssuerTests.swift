import Determinism
import Networking
import TestDoubles
import Testing
import Text

struct ApplicationPasswordIssuerTests {
    private func issuer(_ network: any Network) throws -> ApplicationPasswordIssuer {
        let signIn = CookieSignIn(
            network: network, site: try WebAddress("https://shop.example"), username: "me",
            password: Secret("canary"), time: VirtualTimeSource())
        return ApplicationPasswordIssuer(sender: signIn, siteID: 0)
    }

    @Test func `signing in with cookies creates a password, and leaves those of other tills alone`() async throws {
        let network = ClosureNetwork { request, _ in
            let route = request.address.query.map { PercentEncoding.decode($0) } ?? ""
            switch (request.method, request.address.path) {
            case (.post, "/wp-login.php"):
                return HTTPResponse(
                    status: 302,
                    headers: [
                        "Set-Cookie": "wordpress_logged_in_1=abc; path=/; HttpOnly", "set-cookie": "other=x; secure",
                        "Location": "https://shop.example/wp-admin/",
                    ])
            case (.get, "/wp-admin/admin-ajax.php"): return HTTPResponse(status: 200, body: Array("0a1b2c3d4e".utf8))
            case (.delete, _): return .json(#"{"deleted":true}"#)
            case (.post, _): return .json(#"{"uuid":"u2","name":"CardPresent","password":"abcd EFGH"}"#, status: 201)
            default:
                return route.contains("application-passwords")
                    ? .json(#"[{"uuid":"u0","name":"Other"},{"uuid":"u1","name":"CardPresent"}]"#)
                    : .json(#"{"id":1,"username":"me"}"#)
            }
        }
        let password = try await issuer(network).makePassword()
        #expect(password == ApplicationPassword(username: "me", password: Secret("abcd EFGH"), uuid: "u2"))
        #expect(!network.requests.contains { $0.method == .delete })
        let others = network.requests.dropFirst(2)
        #expect(others.allSatisfy { $0.cookie == Secret("wordpress_logged_in_1=abc; other=x") })
        #expect(others.allSatisfy { $0.headers["X-WP-Nonce"] == "0a1b2c3d4e" })
    }

    @Test func `a name that the site has already gets a number`() async throws {
        let network = ClosureNetwork { request, _ in
            let body = String(decoding: request.body ?? [], as: UTF8.self)
            switch (request.method, request.address.path) {
            case (.post, "/wp-login.php"):
                return HTTPResponse(status: 302, headers: ["Set-Cookie": "wordpress_logged_in_1=abc"])
            case (.get, "/wp-admin/admin-ajax.php"): return HTTPResponse(status: 200, body: Array("0a1b2c3d4e".utf8))
            case (.post, _) where body.contains("CardPresent 3"):
                return .json(#"{"uuid":"u3","password":"abcd"}"#, status: 201)
            case (.post, _):
                return .json(
                    #"{"code":"application_password_duplicate_name","message":"Unique.","data":{"status":409}}"#,
                    status: 409)
            default: return .json(#"{"id":1,"username":"me"}"#)
            }
        }
        #expect(try await issuer(network).makePassword().uuid == "u3")
    }

    @Test func `a password that is gone is revoked`() async throws {
        let network = MockNetwork()
        network.simulate(
            "/users/me/application-passwords/u1",
            json: #"{"code":"rest_application_password_not_found","message":"No.","data":{"status":404}}"#, status: 404)
        network.simulate(
            "/users/me/application-passwords/u2",
            json: #"{"code":"rest_cannot_delete_application_password","message":"No.","data":{"status":403}}"#,
            status: 403)
        let client = SiteClient(
            network: network,
            credentials: .applicationPassword(
                ApplicationPassword(username: "me", password: Secret("p")), site: try WebAddress("https://shop.example")
            ),
            time: VirtualTimeSource(), random: SeededRandomSource(seed: 1))
        try await ApplicationPasswordRemote(client).revoke(uuid: "u1")
        await #expect(throws: NetworkError.self) { try await ApplicationPasswordRemote(client).revoke(uuid: "u2") }
    }

    @Test func `a wrong password is an error that does not contain it`() async throws {
        let page = HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array("<html>".utf8))
        let network = ClosureNetwork { _, _ in page }
        let issuer = try issuer(network)
        let error = await #expect(throws: NetworkError.self) { try await issuer.makePassword() }
        guard case .signInFailed? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("canary") == false)
        #expect(network.requests.count == 1)
    }

    @Test func `a site that returns no nonce is an error`() async throws {
        let network = ClosureNetwork { request, _ in
            request.method == .post
                ? HTTPResponse(status: 302, headers: ["Set-Cookie": "wordpress_logged_in_1=abc"])
                : HTTPResponse(status: 200, body: Array("0".utf8) + Array(repeating: 0x20, count: 40))
        }
        let issuer = try issuer(network)
        let error = await #expect(throws: NetworkError.self) { try await issuer.makePassword() }
        guard case .signInFailed? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
