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

    @Test func `signing in with cookies creates a password and revokes the old one`() async throws {
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
        let deletions = network.requests.filter { $0.method == .delete }
        #expect(deletions.count == 1)
        #expect(deletions.first?.address.query?.contains("u1") == true)
        let others = network.requests.dropFirst(2)
        #expect(others.allSatisfy { $0.cookie == Secret("wordpress_logged_in_1=abc; other=x") })
        #expect(others.allSatisfy { $0.headers["X-WP-Nonce"] == "0a1b2c3d4e" })
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
