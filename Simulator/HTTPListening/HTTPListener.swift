internal import Glibc
package import Hummingbird
internal import Logging
internal import NIOCore

/// Answers HTTP/1.1 at a port of this machine, until it is stopped.
public final class HTTPListener: Sendable {
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

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - responder: what is asked.
    ///   - host: the address of this machine to listen at.
    ///   - port: 0 for any that is free.
    ///   - name: what the server calls itself in its answers.
    /// - Returns: the listener, which listens already.
    /// - Throws: ``HTTPListenerError``
    package static func start<Responder: HTTPResponder>(
        _ responder: Responder, host: String, port: Int, name: String
    ) async throws(HTTPListenerError) -> HTTPListener
    where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        guard (0...65_535).contains(port) else { throw HTTPListenerError(host: host, port: port, reason: "no port") }
        let (events, told) = AsyncStream.makeStream(of: Event.self)
        let application = Application(
            responder: responder,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: name),
            onServerRunning: { channel in told.yield(.listening(port: channel.localAddress?.port)) },
            // What a client does wrong is no news here, and headers have secrets in them.
            logger: Logger(label: name, factory: { _ in SwiftLogNoOpLogHandler() }))
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
                return HTTPListener(
                    port: bound ?? port, address: "http://\(name):\(bound ?? port)", running: running)
            case .ended(let reason): throw HTTPListenerError(host: host, port: port, reason: reason)
            }
        }
        throw HTTPListenerError(host: host, port: port, reason: "it was cancelled")
    }

    /// Asks it to end, with every connection. ``finished()`` tells when it has.
    public func cancel() { running.cancel() }

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
