import Determinism
import Networking
import TestDoubles
import Testing

@testable import Yosemite

@Suite struct SignInProcessTests {
    private let network = MockNetwork()
    private let site: WebAddress

    init() throws { site = try WebAddress("https://shop.example/") }

    private func process(dotcom: WebAddress = .wordPressDotcom, allowsUnprotected: Bool = false) -> SignInProcess {
        SignInProcess(
            network: network, time: VirtualTimeSource(), random: SeededRandomSource(seed: 1), dotcom: dotcom,
            programName: "CardPresent (test)", allowsUnprotected: allowsUnprotected)
    }

    private func simulateSite() {
        network.simulate(
            "/wp-login.php",
            .success(
                HTTPResponse(status: 302, headers: ["Set-Cookie": "wordpress_logged_in_1=x; path=/", "Location": "/"])))
        network.simulate("/admin-ajax.php", .success(HTTPResponse(status: 200, body: Array("0123456789".utf8))))
        network.simulate("/users/me", json: #"{"id":1,"username":"anna"}"#)
        network.simulate("/users/me/application-passwords", json: #"{"uuid":"u-1","password":"made 1234"}"#)
        network.simulate(
            "/",
            json: """
                {"name":"Corner Shop","url":"https://shop.example","namespaces":["wp/v2","wc/v3"],
                 "timezone_string":"Europe/Berlin","gmt_offset":"2"}
                """)
        network.simulate("/system_status", json: #"{"environment":{"version":"9.3.3"}}"#)
    }

    @Test func `a password is exchanged for an application password, and only that one is stored`() async throws {
        simulateSite()
        let outcome = try await process().signIn(
            with: .password(Secret("s3cret"), username: "anna", site: site))
        #expect(
            outcome.signIn
                == SignIn(
                    credentials: .applicationPassword(
                        ApplicationPassword(username: "anna", password: Secret("made 1234"), uuid: "u-1"), site: site),
                    siteID: site.directSiteID))
        #expect(outcome.sites.map(\.site.name) == ["Corner Shop"])
        #expect(outcome.sites.map(\.wooCommerceVersion) == ["9.3.3"])
        #expect(outcome.sites.first?.site.options.timezone == "Europe/Berlin")
        // The password itself went once, to the page that asks for it.
        let carrying = network.requests.filter { request in
            request.body.map { String(decoding: $0, as: UTF8.self).contains("s3cret") } == true
        }
        #expect(carrying.map(\.address.path) == ["/wp-login.php"])
    }

    @Test func `a password that was created for a sign-in that fails is revoked`() async throws {
        network.simulate(
            "/wp-login.php",
            .success(
                HTTPResponse(status: 302, headers: ["Set-Cookie": "wordpress_logged_in_1=x; path=/", "Location": "/"])))
        network.simulate("/admin-ajax.php", .success(HTTPResponse(status: 200, body: Array("0123456789".utf8))))
        network.simulate("/users/me", json: #"{"id":1,"username":"anna"}"#)
        network.simulate("/users/me/application-passwords", json: #"{"uuid":"u-1","password":"made 1234"}"#)
        network.simulate("/users/me/application-passwords/u-1", json: #"{"deleted":true}"#)
        network.simulate("/", json: #"{"code":"x","message":"broken"}"#, status: 500)
        await #expect(throws: SignInError.self) {
            try await process().signIn(with: .password(Secret("s3cret"), username: "anna", site: site))
        }
        let deletions = network.requests.filter { $0.method == .delete }
        #expect(deletions.count == 1)
        #expect(deletions.first?.address.query?.contains("u-1") == true)
    }

    @Test func `blanks in a typed application password are removed`() async throws {
        simulateSite()
        let outcome = try await process().signIn(
            with: .applicationPassword(Secret("abcd efgh"), username: "anna", site: site))
        guard case .applicationPassword(let password, _) = outcome.signIn.credentials else {
            Issue.record("other credentials")
            return
        }
        #expect(password.password.revealed() == "abcdefgh" && password.uuid == nil)
        #expect(!network.requests.contains { $0.address.path == "/wp-login.php" })
    }

    @Test func `a token finds the sites of its account, and chooses the only store`() async throws {
        network.simulate("/me", json: #"{"ID":3,"username":"anna","display_name":"Anna","email":"a@b.example"}"#)
        network.simulate(
            "/me/sites",
            json: SiteJSON.list([SiteJSON.site(7), SiteJSON.site(8, wooCommerce: false), "{\"ID\":\"x\"}"]))
        network.simulate("/system_status", json: #"{"data":{"environment":{"version":"9.3.3"}}}"#)
        let stand = try WebAddress("http://127.0.0.1:8282/")
        let outcome = try await process(dotcom: stand).signIn(with: .token(Secret("t0k3n")))
        #expect(outcome.signIn.siteID == 7)
        #expect(outcome.signIn.dotcom == stand)
        #expect(outcome.signIn.credentials.username == "anna")
        #expect(outcome.sites.map(\.site.id) == [7, 8])
        #expect(outcome.sites.map(\.wooCommerceVersion) == ["9.3.3", nil])
        #expect(outcome.rejected.count == 1)
        #expect(network.requests.allSatisfy { $0.address.origin == stand.origin })
    }

    @Test func `of several stores none is chosen`() async throws {
        network.simulate("/me", json: #"{"ID":3,"username":"anna","display_name":"Anna","email":"a@b.example"}"#)
        network.simulate("/me/sites", json: SiteJSON.list([SiteJSON.site(7), SiteJSON.site(8)]))
        let outcome = try await process().signIn(with: .token(Secret("t0k3n")))
        #expect(outcome.signIn.siteID == nil)
        #expect(outcome.sites.count == 2)
    }

    @Test func `nothing is sent unencrypted to another machine without explicit permission`() async throws {
        let plain = try WebAddress("http://shop.example/")
        for proof in [
            SignInProcess.Proof.password(Secret("s3cret"), username: "anna", site: plain),
            .applicationPassword(Secret("s3cret"), username: "anna", site: plain),
        ] {
            await #expect(throws: SignInError.unprotected(plain)) { try await process().signIn(with: proof) }
        }
        await #expect(throws: SignInError.unprotected(plain)) {
            try await process(dotcom: plain).signIn(with: .token(Secret("t0k3n")))
        }
        #expect(network.requests.isEmpty)
        simulateSite()
        _ = try await process(allowsUnprotected: true).signIn(
            with: .password(Secret("s3cret"), username: "anna", site: plain))
        _ = try await process().signIn(
            with: .applicationPassword(
                Secret("s3cret"), username: "anna", site: try WebAddress("http://127.0.0.1:8181/")))
    }

    @Test func `the error of a wrong password does not repeat it`() async throws {
        network.simulate("/wp-login.php", .success(HTTPResponse(status: 200, body: Array("<form>".utf8))))
        let error = await #expect(throws: SignInError.self) {
            try await process().signIn(with: .password(Secret("s3cret"), username: "anna", site: site))
        }
        guard case .refused(let text) = error else {
            Issue.record("it failed otherwise: \(String(describing: error))")
            return
        }
        #expect(!text.contains("s3cret"))
    }

    @Test func `a rejected application password is distinguished from a rejected user`() async throws {
        network.simulate(
            "/users/me", json: #"{"code":"incorrect_password","message":"No.","data":{"status":401}}"#, status: 401)
        let error = await #expect(throws: SignInError.self) {
            try await process().signIn(with: .applicationPassword(Secret("x"), username: "anna", site: site))
        }
        guard case .refused = error else {
            Issue.record("it failed otherwise: \(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["/wp-login.php", "/users/me"])
    func `a redirect to another site does not get the password`(path: String) async throws {
        network.simulate(
            path, .success(HTTPResponse(status: 301, headers: ["Location": "https://other.example\(path)?x=y"])))
        let proof: SignInProcess.Proof =
            path == "/users/me"
            ? .applicationPassword(Secret("s3cret"), username: "anna", site: site)
            : .password(Secret("s3cret"), username: "anna", site: site)
        let error = await #expect(throws: SignInError.self) { try await process().signIn(with: proof) }
        guard case .network(.redirectRefused(_, let target)) = error else {
            Issue.record("it failed otherwise: \(String(describing: error))")
            return
        }
        #expect(target == "https://other.example\(path)")
        #expect(network.requests.allSatisfy { $0.address.origin == site.origin })
    }

    @Test(arguments: ["<!DOCTYPE html><html>", "", "{\"name\"", "[]", "{\"username\":7"])
    func `a site without WordPress is reported as such`(body: String) async throws {
        network.simulate(
            "/users/me",
            .success(HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array(body.utf8))))
        let error = await #expect(throws: SignInError.self) {
            try await process().signIn(with: .applicationPassword(Secret("x"), username: "anna", site: site))
        }
        guard case .notWordPress(site, _) = error else {
            Issue.record("it failed otherwise: \(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        NetworkError.untrustedServer(host: "shop.example", .expired),
        .cannotConnect(host: "shop.example", reason: "no"),
        .timedOut(host: "shop.example", wasSent: true),
    ])
    func `connection errors are reported unchanged`(failure: NetworkError) async throws {
        network.simulate("/users/me", error: failure)
        await #expect(throws: SignInError.network(failure)) {
            try await process().signIn(with: .applicationPassword(Secret("x"), username: "anna", site: site))
        }
    }
}
