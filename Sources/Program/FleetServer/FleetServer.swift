public import Connections
import Determinism
import HTTPInterface
public import HTTPListening
import NIOCore

/// Serves a ``FleetService`` over HTTP/1.1, with TLS or on this machine only.
public final class FleetServer: Sendable {
    private let listener: HTTPListener
    private let service: FleetService

    /// The port.
    public var port: Int { listener.port }
    /// The base URL for clients, without a trailing slash.
    public var address: String { listener.address }

    private init(_ listener: HTTPListener, _ service: FleetService) {
        (self.listener, self.service) = (listener, service)
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - host: the local address to listen on. An address other than loopback requires TLS.
    ///   - port: the port; 0 for any free port.
    ///   - tls: the server's side of TLS; nil without TLS.
    /// - Returns: the server, which is already listening.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ service: FleetService, host: String = "127.0.0.1", port: Int = 0, tls: TLSServer? = nil
    ) async throws(HTTPListenerError) -> FleetServer {
        guard tls != nil || TCPAddress(host: host, port: 0).isLoopback else {
            throw HTTPListenerError(host: host, port: port, reason: "an address beyond loopback requires TLS")
        }
        let listener = try await HTTPListener.start(
            FleetResponder(service: service), host: host, port: port, name: "CardPresent", time: service.time,
            scheme: tls == nil ? "http" : "https"
        ) { channel in
            if let tls { try channel.pipeline.syncOperations.addHandler(TLSHandler(tls)) }
        }
        return FleetServer(listener, service)
    }

    /// Stops the server and ends all connections, also those to the database.
    ///
    /// - Parameter limit: how long requests that have arrived may take to be answered. Zero cuts them off.
    public func stop(within limit: Duration = .zero) async {
        await listener.end(within: limit)
        await service.close()
    }

    /// Returns when the server has stopped.
    public func finished() async { await listener.finished() }
}

/// Passes requests to a service and delivers its answers.
private struct FleetResponder: APIResponder {
    let service: FleetService

    var largestBody: Int { FleetService.longestSettlement }

    func answer(_ request: APIRequest) async -> APIAnswer { await service.answer(request) }

    func note(unread answer: APIAnswer) -> APIAnswer {
        service.note(APIRequest(method: "", target: ""), nil, answer, since: service.time.reading())
    }
}
