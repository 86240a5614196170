public import HTTPListening

/// Serves a ``SimulationService`` over HTTP/1.1.
public final class SimulationServer: Sendable {
    private let listener: HTTPListener
    private let service: SimulationService

    /// The port.
    public var port: Int { listener.port }
    /// The base URL for clients, without a trailing slash.
    public var address: String { listener.address }

    private init(_ listener: HTTPListener, _ service: SimulationService) {
        (self.listener, self.service) = (listener, service)
    }

    /// Returns whether an address is reachable only from this machine.
    public static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1"
            || host.hasPrefix("127.") && host.split(separator: ".").count == 4
                && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - service: the service. Its clock is that of the header field `Date`.
    ///   - host: the local address to listen on. An address other than loopback requires a token.
    ///   - port: the port; 0 for any free port.
    /// - Returns: the server, which is already listening.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ service: SimulationService, host: String = "127.0.0.1", port: Int = 0
    ) async throws(HTTPListenerError) -> SimulationServer {
        guard isLoopback(host) || service.configuration.token != nil else {
            throw HTTPListenerError(host: host, port: port, reason: "an address beyond loopback requires a token")
        }
        return SimulationServer(
            try await HTTPListener.start(
                ServiceResponder(service: service), host: host, port: port, name: "CardPresent", time: service.time),
            service)
    }

    /// Stops the server and ends all connections and sessions.
    public func stop() async {
        listener.cancel()
        // Event streams end with their sessions.
        await service.close()
        await listener.finished()
    }

    /// Returns when the server has stopped.
    public func finished() async { await listener.finished() }
}

/// Passes requests to a service and delivers its answers.
struct ServiceResponder: HTTPResponder {
    let service: SimulationService

    var largestBody: Int { SimulationServiceConfiguration.longestBody }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.lowercased()] = field.value }
        return response(
            await service.answer(
                APIRequest(method: request.method, target: request.target, headers: headers, body: request.body)))
    }

    func refuseLargeBody() -> HTTPResponse {
        response(
            .failure(
                APIError(
                    413, "body_too_large", "a body has at most \(SimulationServiceConfiguration.longestBody) bytes")))
    }

    private func response(_ answer: APIAnswer) -> HTTPResponse {
        let mediaType = answer.mediaType.isEmpty ? [] : [(name: "Content-Type", value: answer.mediaType)]
        let body: HTTPResponse.Body =
            switch answer.content {
            case .bytes(let bytes): .bytes(bytes)
            case .events(let pieces):
                .stream(length: nil) { writer in
                    for await piece in pieces { try await writer.write(piece) }
                }
            }
        return HTTPResponse(
            status: answer.status,
            headers: mediaType + [(name: "X-Content-Type-Options", value: "nosniff")] + answer.headers, body: body)
    }
}

/// The web console: a single self-contained page.
enum Console {
    static let page = APIAnswer(200, "text/html; charset=utf-8", .bytes(PackageResources.console_html))
        .with("Content-Security-Policy", policy).with("Cache-Control", "no-cache")
        .with("Referrer-Policy", "no-referrer")

    /// Allows only the page's own content and requests to its own server. Receipts are shown in a frame.
    private static let policy =
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
        + "frame-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
