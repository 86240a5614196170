public import HTTPListening

/// Serves a ``SimulationService`` over HTTP/1.1.
public final class SimulationServer: Sendable {
    private let listener: HTTPListener
    private let service: SimulationService

    /// The port that it listens on.
    public var port: Int { listener.port }
    /// Where clients reach it, without a slash at the end.
    public var address: String { listener.address }

    private init(_ listener: HTTPListener, _ service: SimulationService) {
        (self.listener, self.service) = (listener, service)
    }

    /// Whether only programs of this machine reach an address.
    public static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1"
            || host.hasPrefix("127.") && host.split(separator: ".").count == 4
                && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
    }

    /// Begins to serve.
    ///
    /// - Parameters:
    ///   - service: what is asked.
    ///   - host: the address of this machine to listen at. With another than a loopback address the service must have
    ///     a token.
    ///   - port: 0 for any that is free.
    /// - Returns: the server, which listens already.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ service: SimulationService, host: String = "127.0.0.1", port: Int = 0
    ) async throws(HTTPListenerError) -> SimulationServer {
        guard isLoopback(host) || service.configuration.token != nil else {
            throw HTTPListenerError(host: host, port: port, reason: "other machines would reach it without a token")
        }
        return SimulationServer(
            try await HTTPListener.start(
                ServiceResponder(service: service), host: host, port: port, name: "CardPresent"), service)
    }

    /// Ends it, with every connection and every session.
    public func stop() async {
        listener.cancel()
        // Streams of events end with their sessions.
        await service.close()
        await listener.finished()
    }

    /// Returns when it has ended.
    public func finished() async { await listener.finished() }
}
