import Determinism
import Networking
import TestDoubles
import Testing
import Text

struct SiteClientTests {
    private let time = VirtualTimeSource()
    private let orders = JetpackRequest(siteID: 1, .get, "orders")
    private let note = JetpackRequest(siteID: 1, .post, "orders/1/notes", parameters: ["note": "x"])
    private let keyed = JetpackRequest(siteID: 1, .post, "x", options: RequestOptions(idempotencyKey: "key"))
    private let unavailable = HTTPResponse.json(#"{"code":"x","message":"busy"}"#, status: 503)

    private func site() throws -> WebAddress { try WebAddress("https://shop.example") }

    private func client(
        _ network: any Network, _ credentials: Credentials?, issuer: (any ApplicationPasswordIssuing)? = nil
    ) -> SiteClient {
        SiteClient(
            network: network, credentials: credentials, issuer: issuer, time: time,
            random: SeededRandomSource(seed: 1))
    }

    private func direct(_ network: any Network, issuer: (any ApplicationPasswordIssuing)? = nil) throws -> SiteClient {
        let password = ApplicationPassword(username: "user", password: Secret("old"))
        return client(network, .applicationPassword(password, site: try site()), issuer: issuer)
    }

    private func tunnelled(_ network: any Network) -> SiteClient {
        client(network, .wordPressDotcom(username: "user", token: Secret("token"), site: nil))
    }

    private func failure(_ client: SiteClient, _ request: any Request) async -> NetworkError? {
        do throws(NetworkError) {
            _ = try await client.send(request)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Routes

    @Test func `each kind of credentials selects its route`() async throws {
        let network = ClosureNetwork { _, _ in .json("[]") }
        _ = try await tunnelled(network).send(orders)
        _ = try await direct(network).send(orders)
        _ = try await client(network, nil).send(DotcomRequest(.rest1_1, .get, "x"))
        #expect(
            network.requests.map(\.address.origin.host) == [
                "public-api.wordpress.com", "shop.example", "public-api.wordpress.com",
            ])
        #expect(
            network.requests.map(\.authorization) == [
                Secret("Bearer token"), Secret("Basic dXNlcjpvbGQ="), nil,
            ])
        #expect(network.requests.allSatisfy { $0.headers["User-Agent"] == "CardPresent" })
    }

    @Test func `a password is sent only to its site, and a token only to WordPress dot com`() async throws {
        let network = ClosureNetwork { _, _ in .json("{}") }
        let other = RESTRequest(site: try WebAddress("https://other.example"), namespace: "wc/v3", .get, "orders")
        _ = try await tunnelled(network).send(other)
        #expect(network.requests.map(\.authorization) == [nil])
    }

    @Test(arguments: [
        JetpackRequest(siteID: 1, .get, "settings", isAvailableOnSite: false) as any Request,
        DotcomRequest(.rest1_1, .get, "me"),
    ])
    func `requests that need WordPress dot com are rejected without an account`(request: any Request) async throws {
        let network = ClosureNetwork { _, _ in .json("{}") }
        let error = await failure(try direct(network), request)
        guard case .missingCredentials? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(network.requests.isEmpty)
    }

    @Test func `a server that acts as WordPress dot com receives its requests`() async throws {
        let network = ClosureNetwork { _, _ in .json("{}") }
        let client = SiteClient(
            network: network, credentials: nil, time: time, random: SeededRandomSource(seed: 1),
            dotcom: try WebAddress("http://127.0.0.1:8282/dotcom/"))
        _ = try await client.send(DotcomRequest(.rest1_1, .get, "me"))
        #expect(network.requests.first?.address.text == "http://127.0.0.1:8282/dotcom/rest/v1.1/me")
    }

    // MARK: Errors

    @Test func `the interface that responded determines the format of errors`() async throws {
        let body = #"{"code":"wcpay_capture_error","message":"Declined","data":{"status":400}}"#
        let wanted = NetworkError.service(ServiceError(status: 400, code: "wcpay_capture_error", message: "Declined"))
        #expect(await failure(try direct(ClosureNetwork { _, _ in .json(body, status: 400) }), note) == wanted)
        #expect(await failure(tunnelled(ClosureNetwork { _, _ in .json(body) }), note) == wanted)
        let dotcom = #"{"error":"unauthorized","message":"Missing Token"}"#
        #expect(
            await failure(tunnelled(ClosureNetwork { _, _ in .json(dotcom) }), note)
                == .service(ServiceError(status: 200, code: "unauthorized", message: "Missing Token")))
    }

    @Test func `a web page instead of JSON is classified by its status`() async throws {
        let page = HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array("<html>".utf8))
        let error = await failure(tunnelled(ClosureNetwork { _, _ in page }), note)
        guard case .unreadable(let content)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(content.problem.problem == .markup)
        #expect(content.contentType == "text/html")
        let failed = HTTPResponse(status: 500, body: Array("<html>".utf8))
        #expect(
            await failure(tunnelled(ClosureNetwork { _, _ in failed }), note)
                == .service(ServiceError(status: 500)))
    }

    @Test func `a wrong clock is reported when access is denied`() async throws {
        let response = HTTPResponse.json(
            #"{"code":"rest_forbidden","message":"No","data":{"status":401}}"#, status: 401,
            headers: ["Date": "Fri, 02 Jan 2026 10:00:00 GMT"])
        let error = await failure(tunnelled(ClosureNetwork { _, _ in response }), note)
        guard case .service(let service)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(service.clockAhead == .seconds(7200))
        #expect(service.description.contains("120 minutes ahead of"))
    }

    // MARK: Retries

    @Test func `a repeatable request is retried after growing delays`() async throws {
        let busy = unavailable
        let network = ClosureNetwork { _, number in number < 3 ? busy : .json("[]") }
        let start = time.reading()
        _ = try await tunnelled(network).send(orders)
        #expect(network.requests.count == 4)
        #expect((.milliseconds(1750)...(.milliseconds(3500))).contains(time.elapsed(since: start)))
        #expect(network.requests.map(\.timeout) == network.requests.map(\.timeout).sorted(by: >))
    }

    @Test func `a request that is not repeatable is sent once`() async throws {
        let busy = unavailable
        for error in [NetworkError.connectionLost(host: "h", reason: ""), .timedOut(host: "h", wasSent: true)] {
            let network = ClosureNetwork { _, _ throws(NetworkError) in throw error }
            #expect(await failure(tunnelled(network), note) == error)
            #expect(network.requests.count == 1)
        }
        let network = ClosureNetwork { _, _ in busy }
        #expect(await failure(tunnelled(network), note) != nil)
        #expect(network.requests.count == 1)
    }

    @Test func `a request with a key or that was not sent is retried`() async throws {
        let lost = ClosureNetwork { _, number throws(NetworkError) in
            if number == 0 { throw .connectionLost(host: "h", reason: "") }
            return .json("{}")
        }
        _ = try await direct(lost).send(keyed)
        #expect(lost.requests.map { $0.headers["Idempotency-Key"] } == ["key", "key"])
        let refused = ClosureNetwork { _, number throws(NetworkError) in
            if number == 0 { throw .cannotConnect(host: "h", reason: "") }
            return .json("{}")
        }
        _ = try await tunnelled(refused).send(note)
        #expect(refused.requests.count == 2)
    }

    @Test func `the tunnel drops the key, so its requests are not retried`() async throws {
        let network = ClosureNetwork { _, _ throws(NetworkError) in throw .connectionLost(host: "h", reason: "") }
        #expect(await failure(tunnelled(network), keyed) == .connectionLost(host: "h", reason: ""))
        #expect(network.requests.count == 1)
    }

    @Test func `a rejection after an attempt with a lost response is an unknown outcome`() async throws {
        let network = ClosureNetwork { _, number throws(NetworkError) in
            if number == 0 { throw .connectionLost(host: "h", reason: "") }
            return .json(#"{"code":"x","message":"already paid"}"#, status: 400)
        }
        let error = await failure(try direct(network), keyed)
        #expect(
            error
                == .outcomeUnknown(
                    earlier: .connectionLost(host: "h", reason: ""),
                    last: .service(ServiceError(status: 400, code: "x", message: "already paid"))))
        #expect(error?.mayHaveTakenEffect == true)
    }

    @Test func `Retry-After is honored within the deadline`() async throws {
        let network = ClosureNetwork { _, number in
            number == 0 ? .json("{}", status: 429, headers: ["Retry-After": "7"]) : .json("[]")
        }
        let start = time.reading()
        _ = try await tunnelled(network).send(note)
        #expect(time.elapsed(since: start) == .seconds(7))
        let patient = ClosureNetwork { _, _ in .json("{}", status: 429, headers: ["Retry-After": "31"]) }
        let error = await failure(tunnelled(patient), orders)
        #expect(error == .service(ServiceError(status: 429, retryAfter: .seconds(31))))
        #expect(patient.requests.count == 1)
    }

    @Test func `a permanent error is not retried`() async throws {
        let network = ClosureNetwork { _, _ in .json(#"{"code":"x","message":"no"}"#, status: 400) }
        #expect(await failure(tunnelled(network), orders) != nil)
        #expect(network.requests.count == 1)
    }

    // MARK: Passwords

    @Test func `a rejected password is renewed once, and all requests wait for it`() async throws {
        let issuer = ScriptedIssuer()
        let network = ClosureNetwork { request, _ in
            request.authorization == Secret("Basic dXNlcjpuZXctMQ==")
                ? .json("[]") : .json(#"{"code":"incorrect_password","message":"no"}"#, status: 401)
        }
        let client = try direct(network, issuer: issuer)
        await withTaskGroup(of: NetworkError?.self) { group in
            for index in 0..<20 { group.addTask { await failure(client, index % 2 == 0 ? orders : note) } }
            for await error in group { #expect(error == nil) }
        }
        #expect(issuer.made == 1)
    }

    @Test func `a new password that is rejected too is not renewed again`() async throws {
        let issuer = ScriptedIssuer()
        let network = ClosureNetwork { _, _ in .json(#"{"code":"incorrect_password","message":"no"}"#, status: 401) }
        let error = await failure(try direct(network, issuer: issuer), orders)
        #expect(error == .service(ServiceError(status: 401, code: "incorrect_password", message: "no")))
        #expect(issuer.made == 1)
        #expect(network.requests.count == 2)
    }

    @Test func `without an issuer a rejected password is an error`() async throws {
        let network = ClosureNetwork { _, _ in .json(#"{"code":"incorrect_password","message":"no"}"#, status: 401) }
        #expect(await failure(try direct(network), orders) != nil)
        #expect(network.requests.count == 1)
    }

    // MARK: Redirects

    @Test(arguments: [
        "https://evil.example/", "http://shop.example/", "//evil.example/", "https://shop.example:444/",
    ])
    func `credentials never follow to another origin`(location: String) async throws {
        let network = ClosureNetwork { _, _ in .json("{}", status: 302, headers: ["Location": location]) }
        let error = await failure(try direct(network), orders)
        guard case .redirectRefused? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(network.requests.count == 1)
    }

    @Test func `a GET follows a limited number of redirects within its origin, and a POST none`() async throws {
        let moved = ClosureNetwork { request, _ in
            request.address.path == "/new" ? .json("[]") : .json("{}", status: 301, headers: ["Location": "/new"])
        }
        _ = try await direct(moved).send(orders)
        #expect(moved.requests.count == 2)
        let post = await failure(try direct(moved), note)
        guard case .redirectRefused? = post else {
            Issue.record("\(String(describing: post))")
            return
        }
        let circle = ClosureNetwork { _, _ in .json("{}", status: 302, headers: ["Location": "/"]) }
        let endless = await failure(try direct(circle), orders)
        guard case .redirectRefused? = endless else {
            Issue.record("\(String(describing: endless))")
            return
        }
        #expect(circle.requests.count == 6)
    }
}
