import Networking
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CurlNetworkTests {
    private let network: CurlNetwork

    init() throws { network = try CurlNetwork() }

    private func request(
        _ server: LoopbackServer, _ target: String = "/", method: HTTPMethod = .get, body: String? = nil,
        timeout: Duration = .seconds(10), sizeLimit: Int = HTTPRequest.defaultSizeLimit
    ) throws -> HTTPRequest {
        HTTPRequest(
            method: method, address: try WebAddress(server.address + target), body: body.map { Array($0.utf8) },
            timeout: timeout, sizeLimit: sizeLimit)
    }

    @Test func `a response has its status, headers and body`() async throws {
        let server = try LoopbackServer { _ in .json("{}", status: 201, headers: ["X-WP-Total:  17 "]) }
        defer { server.stop() }
        let response = try await network.response(for: request(server, "/a%20b?c=d"))
        #expect(response.status == 201)
        #expect(response.body == Array("{}".utf8))
        #expect(response.headers["x-wp-total"] == "17")
        #expect(server.requests.map(\.target) == ["/a%20b?c=d"])
    }

    @Test(arguments: HTTPMethod.allCases)
    func `every method arrives with its body and its headers`(_ method: HTTPMethod) async throws {
        let server = try LoopbackServer { _ in .json("{}") }
        defer { server.stop() }
        let text = method == .get ? nil : String(repeating: "x", count: 1_200_000)
        var request = try request(server, method: method, body: text)
        request.headers = ["X-Thing": "one", "Content-Type": "text/plain"]
        request.authorization = Secret("Bearer abc")
        request.cookie = Secret("a=b")
        _ = try await network.response(for: request)
        let received = try #require(server.requests.first)
        #expect(received.method == method.rawValue)
        #expect(received.bodyText == text ?? "")
        #expect(received.header("X-Thing") == "one")
        #expect(received.header("Authorization") == "Bearer abc")
        #expect(received.header("Cookie") == "a=b")
        #expect(received.header("Expect") == nil)
        #expect(received.header("Content-Type") == "text/plain")
    }

    @Test func `a line end in a header does not begin another one`() async throws {
        let server = try LoopbackServer { _ in .json("{}") }
        defer { server.stop() }
        var request = try request(server)
        request.headers = ["X-Thing": "one\r\nX-Other: two"]
        _ = try await network.response(for: request)
        #expect(server.requests.first?.header("X-Other") == nil)
    }

    @Test func `a connection is reused`() async throws {
        let server = try LoopbackServer { _ in .json("{}") }
        defer { server.stop() }
        for _ in 0..<5 { _ = try await network.response(for: request(server)) }
        #expect(server.connections == 1)
        #expect(server.requests.count == 5)
    }

    @Test func `many requests run at once`() async throws {
        let server = try LoopbackServer { .json("\"\($0.target)\"") }
        defer { server.stop() }
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<200 {
                let request = try request(server, "/\(number)")
                group.addTask { String(decoding: try await network.response(for: request).body, as: UTF8.self) }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(answers == Set((0..<200).map { "\"/\($0)\"" }))
        #expect(server.connections <= 8)
    }

    @Test func `a chunked and compressed body is decoded`() async throws {
        let text = String(repeating: "{\"a\":1}", count: 20_000)
        let server = try LoopbackServer { request in
            guard request.target == "/packed" else {
                return .text(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")
            }
            return .answer(Gzip.packed(Array(text.utf8)), headers: ["Content-Encoding: gzip"])
        }
        defer { server.stop() }
        #expect(try await network.response(for: request(server, "/chunks")).body == Array("abcdefg".utf8))
        #expect(try await network.response(for: request(server, "/packed")).body == Array(text.utf8))
        #expect(server.requests.allSatisfy { $0.header("Accept-Encoding")?.contains("gzip") == true })
    }

    @Test func `a response that is too large ends the transfer`() async throws {
        let server = try LoopbackServer { _ in .answer(Array(repeating: 0x20, count: 100_000)) }
        defer { server.stop() }
        let long = try request(server, sizeLimit: 99_999)
        await #expect(throws: NetworkError.responseTooLarge(limit: 99_999)) {
            try await network.response(for: long)
        }
        #expect(try await network.response(for: request(server, sizeLimit: 100_000)).body.count == 100_000)
    }

    @Test func `a compressed body counts by its decompressed size`() async throws {
        let server = try LoopbackServer { _ in
            .answer(Gzip.packed(Array(repeating: 0x20, count: 50_000)), headers: ["Content-Encoding: gzip"])
        }
        defer { server.stop() }
        let request = try request(server, sizeLimit: 49_999)
        await #expect(throws: NetworkError.responseTooLarge(limit: 49_999)) {
            try await network.response(for: request)
        }
    }

    @Test func `endless headers end the transfer`() async throws {
        let line = "X-Line: " + String(repeating: "x", count: 10_000) + "\r\n"
        let server = try LoopbackServer { _ in
            .text("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 40) + "\r\n")
        }
        defer { server.stop() }
        let request = try request(server)
        await #expect(throws: NetworkError.self) { try await network.response(for: request) }
    }

    @Test func `a silent server times out at the deadline`() async throws {
        let server = try LoopbackServer { _ in [.waitForClient, .close] }
        defer { server.stop() }
        let request = try request(server, timeout: .milliseconds(500))
        await #expect(throws: NetworkError.timedOut(host: "127.0.0.1", wasSent: true)) {
            try await network.response(for: request)
        }
    }

    @Test func `a truncated body is an error`() async throws {
        let server = try LoopbackServer { _ in
            .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":") + [.close]
        }
        defer { server.stop() }
        let request = try request(server)
        await expectConnectionLost(request)
    }

    @Test func `a closed connection without a response is an error`() async throws {
        let server = try LoopbackServer { _ in [.close] }
        defer { server.stop() }
        let request = try request(server)
        await expectConnectionLost(request)
    }

    @Test func `a reused connection that dies does not send a POST twice`() async throws {
        let server = try LoopbackServer { $0.method == "POST" ? [.close] : .json("{}") }
        defer { server.stop() }
        _ = try await network.response(for: request(server))
        let post = try request(server, method: .post, body: "capture")
        await expectConnectionLost(post)
        #expect(server.requests.filter { $0.method == "POST" }.count == 1)
    }

    @Test func `a port without a server is an error`() async throws {
        let server = try LoopbackServer { _ in [.close] }
        let request = try request(server)
        server.stop()
        let result = await answer(request)
        guard case .failure(.cannotConnect("127.0.0.1", _)) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func `a redirect is returned, not followed`() async throws {
        let server = try LoopbackServer { _ in
            .json("{}", status: 302, headers: ["Location: http://127.0.0.1:1/elsewhere"])
        }
        defer { server.stop() }
        let response = try await network.response(for: request(server))
        #expect(response.status == 302)
        #expect(response.headers["Location"] == "http://127.0.0.1:1/elsewhere")
    }

    @Test func `the headers of an interim response are dropped`() async throws {
        let server = try LoopbackServer { _ in
            .text("HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\n") + .json("{}")
        }
        defer { server.stop() }
        let response = try await network.response(for: request(server))
        #expect(response.status == 200)
        #expect(response.headers["X-Early"] == nil)
    }

    @Test func `a canceled task ends its request`() async throws {
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { _ in
            signal.yield()
            return [.waitForClient, .close]
        }
        defer { server.stop() }
        let request = try request(server)
        let task = Task { try await network.response(for: request) }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: NetworkError.canceled(wasSent: true)) { try await task.value }
    }

    @Test func `a task that is already canceled sends nothing`() async throws {
        let server = try LoopbackServer { _ in .json("{}") }
        defer { server.stop() }
        let request = try request(server)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await network.response(for: request)
        }
        task.cancel()
        await #expect(throws: NetworkError.canceled(wasSent: false)) { try await task.value }
        #expect(server.requests.isEmpty)
    }

    @Test func `a response that is not HTTP is an error`() async throws {
        let server = try LoopbackServer { _ in .text("SSH-2.0-OpenSSH_9.2\r\n") + [.close] }
        defer { server.stop() }
        let request = try request(server)
        let result = await answer(request)
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.mayHaveTakenEffect, "\(error)")
    }

    @Test func `a request prints neither its secrets nor its query`() throws {
        var request = HTTPRequest(address: try WebAddress("https://shop.example/a?search=canary"))
        request.authorization = Secret("canary")
        request.cookie = Secret("canary")
        request.body = Array("canary".utf8)
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!"\(request) \(String(reflecting: request)) \(dumped)".contains("canary"))
        #expect(request.description == "GET https://shop.example/a")
    }

    private func answer(_ request: HTTPRequest) async -> Result<HTTPResponse, NetworkError> {
        do throws(NetworkError) { return .success(try await network.response(for: request)) } catch {
            return .failure(error)
        }
    }

    private func expectConnectionLost(
        _ request: HTTPRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let result = await answer(request)
        guard case .failure(.connectionLost) = result else {
            Issue.record("\(result)", sourceLocation: sourceLocation)
            return
        }
    }
}

@Suite(.enabled(if: TLSServer.isAvailable, "openssl is not installed"), .timeLimit(.minutes(10)))
struct CertificateTests {
    private func problem(_ server: borrowing TLSServer, trusted: Bool) async throws -> CertificateProblem? {
        let configuration = CurlConfiguration(authorities: trusted ? server.certificate : nil)
        let network = try CurlNetwork(configuration: configuration)
        let address = try WebAddress("https://localhost:\(server.port)/")
        let request = HTTPRequest(address: address, authorization: Secret("canary"))
        do throws(NetworkError) {
            _ = try await network.response(for: request)
            return nil
        } catch {
            guard case .untrustedServer(_, let problem) = error else { throw error }
            return problem
        }
    }

    @Test func `a certificate of a trusted authority is accepted`() async throws {
        #expect(try await problem(TLSServer(), trusted: true) == nil)
    }

    @Test func `a self-signed certificate is rejected`() async throws {
        #expect(try await problem(TLSServer(), trusted: false) == .selfSigned)
    }

    @Test func `an expired certificate is rejected`() async throws {
        #expect(try await problem(TLSServer(days: -1), trusted: true) == .expired)
    }

    @Test func `a certificate of another host is rejected`() async throws {
        let problem = try await problem(TLSServer(host: "other.example"), trusted: true)
        #expect(problem == .wrongHost, "\(String(describing: problem))")
    }
}
