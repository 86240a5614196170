public import Determinism
public import HTTPListening
public import StoreSite

/// Serves a ``StoreSite`` over HTTP/1.1 and applies delivery faults to its responses.
public final class StoreSiteServer: Sendable {
    private let listener: HTTPListener

    /// The port on which the server listens.
    public var port: Int { listener.port }
    /// The base URL for clients, without a trailing slash.
    public var address: String { listener.address }

    private init(_ listener: HTTPListener) { self.listener = listener }

    /// Starts a server and sets the site's address.
    ///
    /// - Parameters:
    ///   - site: the site to serve.
    ///   - host: the address to listen at; `127.0.0.1` accepts only this machine.
    ///   - port: the port; 0 for any free one.
    ///   - time: the clock for delays and for the header field `Date`.
    ///   - onAnswer: called with every answer before it is sent.
    /// - Returns: the listening server.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ site: StoreSite, host: String = "127.0.0.1", port: Int = 0, time: any TimeSource,
        onAnswer: @escaping @Sendable (SiteAnswer) -> Void = { _ in }
    ) async throws(HTTPListenerError) -> StoreSiteServer {
        let server = StoreSiteServer(
            try await HTTPListener.start(
                SiteResponder(site: site, time: time, onAnswer: onAnswer), host: host, port: port, name: "StoreSite",
                time: time))
        site.move(to: server.address)
        return server
    }

    /// Stops the server and closes its connections.
    public func stop() async {
        listener.cancel()
        await listener.finished()
    }

    /// Waits until the server has stopped.
    public func finished() async { await listener.finished() }
}
