import Determinism
import HTTPInterface
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
        guard isLoopback(host) || service.configuration.needsToken else {
            throw HTTPListenerError(host: host, port: port, reason: "an address beyond loopback requires a token")
        }
        return SimulationServer(
            try await HTTPListener.start(
                ServiceResponder(service: service), host: host, port: port, name: "CardPresent", time: service.time),
            service)
    }

    /// Stops the server and ends all connections and sessions.
    ///
    /// - Parameter limit: how long requests that have arrived may take to be answered. Zero cuts them off.
    public func stop(within limit: Duration = .zero) async {
        service.beginEnd()
        if limit > .zero { await listener.end(within: limit) }
        listener.cancel()
        // A request that waits for its session ends with it.
        await service.close()
        await listener.finished()
    }

    /// Returns when the server has stopped.
    public func finished() async { await listener.finished() }
}

/// Passes requests to a service and delivers its answers.
struct ServiceResponder: APIResponder {
    let service: SimulationService

    var largestBody: Int { SimulationServiceConfiguration.longestBody }

    func answer(_ request: APIRequest) async -> APIAnswer { await service.answer(request) }

    func note(unread answer: APIAnswer) -> APIAnswer {
        service.note(APIRequest(method: "", target: ""), nil, nil, answer, since: service.time.reading())
    }
}
