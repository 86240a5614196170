public import Determinism
public import HTTPListening
public import StoreSite

/// Serves a ``StoreSite`` over HTTP/1.1, and does to its answers what faults want.
public final class StoreSiteServer: Sendable {
    private let listener: HTTPListener

    /// The port that it listens on.
    public var port: Int { listener.port }
    /// Where clients reach it, without a slash at the end.
    public var address: String { listener.address }

    private init(_ listener: HTTPListener) { self.listener = listener }

    /// Begins to serve, and tells the site where it is.
    ///
    /// - Parameters:
    ///   - site: what is asked.
    ///   - host: the address of this machine to listen at; `127.0.0.1` is reached from this machine alone.
    ///   - port: 0 for any that is free.
    ///   - time: what faults wait on.
    ///   - onAnswer: hears of every answer before it is sent.
    /// - Returns: the server, which listens already.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ site: StoreSite, host: String = "127.0.0.1", port: Int = 0, time: any TimeSource,
        onAnswer: @escaping @Sendable (SiteAnswer) -> Void = { _ in }
    ) async throws(HTTPListenerError) -> StoreSiteServer {
        let server = StoreSiteServer(
            try await HTTPListener.start(
                SiteResponder(site: site, time: time, onAnswer: onAnswer), host: host, port: port, name: "StoreSite"))
        site.move(to: server.address)
        return server
    }

    /// Ends it, with every connection.
    public func stop() async {
        listener.cancel()
        await listener.finished()
    }

    /// Returns when it has ended.
    public func finished() async { await listener.finished() }
}
