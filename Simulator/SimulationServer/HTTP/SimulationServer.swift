internal import Glibc
internal import Hummingbird
internal import Logging
internal import NIOCore

/// Serves a ``SimulationService`` over HTTP/1.1.
public final class SimulationServer: Sendable {
    /// The port that it listens on.
    public let port: Int
    /// Where clients reach it, without a slash at the end.
    public let address: String
    private let service: SimulationService
    private let running: Task<Void, Never>

    private enum Event: Sendable {
        case listening(port: Int?)
        case ended(reason: String)
    }

    private init(port: Int, address: String, service: SimulationService, running: Task<Void, Never>) {
        (self.port, self.address, self.service, self.running) = (port, address, service, running)
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
    /// - Throws: ``SimulationServerError``
    public static func start(
        _ service: SimulationService, host: String = "127.0.0.1", port: Int = 0
    ) async throws(SimulationServerError) -> SimulationServer {
        guard (0...65_535).contains(port) else {
            throw SimulationServerError(host: host, port: port, reason: "no port")
        }
        guard isLoopback(host) || service.configuration.token != nil else {
            throw SimulationServerError(host: host, port: port, reason: "other machines would reach it without a token")
        }
        let (events, told) = AsyncStream.makeStream(of: Event.self)
        let application = Application(
            responder: ServiceResponder(service: service),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "CardPresent"),
            onServerRunning: { channel in told.yield(.listening(port: channel.localAddress?.port)) },
            // What a client does wrong is no news here, and headers have secrets in them.
            logger: Logger(label: "simulation", factory: { _ in SwiftLogNoOpLogHandler() }))
        let running = Task {
            do {
                try await application.run()
                told.yield(.ended(reason: "it was stopped"))
            } catch {
                told.yield(.ended(reason: words(error)))
            }
        }
        for await event in events {
            switch event {
            case .listening(let bound):
                let name = host.contains(":") ? "[\(host)]" : host
                return SimulationServer(
                    port: bound ?? port, address: "http://\(name):\(bound ?? port)", service: service,
                    running: running)
            case .ended(let reason): throw SimulationServerError(host: host, port: port, reason: reason)
            }
        }
        throw SimulationServerError(host: host, port: port, reason: "it was cancelled")
    }

    /// Ends it, with every connection and every session.
    public func stop() async {
        running.cancel()
        // Streams of events end with their sessions.
        await service.close()
        await running.value
    }

    /// Returns when it has ended.
    public func finished() async { await running.value }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return switch error.errnoCode {
        case EADDRINUSE: "another program has the port"
        case EACCES: "ports below 1024 are for the administrator"
        case EADDRNOTAVAIL: "this machine has no such address"
        default: "\(error)"
        }
    }
}
