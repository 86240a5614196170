public import Determinism
internal import Glibc
internal import Hummingbird
internal import Logging
internal import NIOCore
public import StoreSite

/// Serves a ``StoreSite`` over HTTP/1.1, and does to its answers what faults want.
public final class StoreSiteServer: Sendable {
    /// The port that it listens on.
    public let port: Int
    /// Where clients reach it, without a slash at the end.
    public let address: String
    private let running: Task<Void, Never>

    private enum Event: Sendable {
        case listening(port: Int?)
        case ended(reason: String)
    }

    private init(port: Int, address: String, running: Task<Void, Never>) {
        (self.port, self.address, self.running) = (port, address, running)
    }

    /// Begins to serve, and tells the site where it is.
    ///
    /// - Parameters:
    ///   - site: what is asked.
    ///   - host: the address of this machine to listen at; `127.0.0.1` is reached from this machine alone.
    ///   - port: 0 for any that is free.
    ///   - time: what faults wait on.
    ///   - onAnswer: hears of every answer before it is sent.
    /// - Returns: the server, which listens already.
    /// - Throws: ``StoreSiteServerError``
    public static func start(
        _ site: StoreSite, host: String = "127.0.0.1", port: Int = 0, time: any TimeSource,
        onAnswer: @escaping @Sendable (SiteAnswer) -> Void = { _ in }
    ) async throws(StoreSiteServerError) -> StoreSiteServer {
        guard (0...65_535).contains(port) else { throw StoreSiteServerError(host: host, port: port, reason: "no port") }
        let (events, told) = AsyncStream.makeStream(of: Event.self)
        let application = Application(
            responder: SiteResponder(site: site, time: time, onAnswer: onAnswer),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: "StoreSite"),
            onServerRunning: { channel in told.yield(.listening(port: channel.localAddress?.port)) },
            // What a client does wrong is no news here.
            logger: Logger(label: "store-site", factory: { _ in SwiftLogNoOpLogHandler() }))
        let running = Task {
            do {
                try await application.run()
                told.yield(.ended(reason: "it was stopped"))
            } catch {
                told.yield(.ended(reason: Self.words(error)))
            }
        }
        for await event in events {
            switch event {
            case .listening(let bound):
                let name = host.contains(":") ? "[\(host)]" : host
                let server = StoreSiteServer(
                    port: bound ?? port, address: "http://\(name):\(bound ?? port)", running: running)
                site.move(to: server.address)
                return server
            case .ended(let reason): throw StoreSiteServerError(host: host, port: port, reason: reason)
            }
        }
        throw StoreSiteServerError(host: host, port: port, reason: "it was cancelled")
    }

    /// Ends it, with every connection.
    public func stop() async {
        running.cancel()
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
