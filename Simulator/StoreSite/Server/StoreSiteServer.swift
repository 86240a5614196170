public import Determinism
public import HTTPListening
public import Networking
public import StoreSite

/// Serves a ``StoreSite`` over HTTP/1.1, applies delivery faults to its responses, and sends its messages to webhooks.
public final class StoreSiteServer: Sendable {
    private let listener: HTTPListener
    private let courier: WebhookCourier

    /// The port on which the server listens.
    public var port: Int { listener.port }
    /// The base URL for clients, without a trailing slash.
    public var address: String { listener.address }

    private init(_ listener: HTTPListener, _ courier: WebhookCourier) {
        (self.listener, self.courier) = (listener, courier)
    }

    /// Starts a server and sets the site's address.
    ///
    /// - Parameters:
    ///   - site: the site to serve.
    ///   - host: the address to listen at; `127.0.0.1` accepts only this machine.
    ///   - port: the port; 0 for any free one.
    ///   - time: the clock for delays and for the header field `Date`.
    ///   - network: sends the messages to webhooks; nil for libcurl.
    ///   - onAnswer: called with every answer before it is sent.
    /// - Returns: the listening server.
    /// - Throws: `HTTPListenerError`
    public static func start(
        _ site: StoreSite, host: String = "127.0.0.1", port: Int = 0, time: any TimeSource,
        network: (any Network)? = nil, onAnswer: @escaping @Sendable (SiteAnswer) -> Void = { _ in }
    ) async throws(HTTPListenerError) -> StoreSiteServer {
        let courier = WebhookCourier(site, network: network)
        let responder = SiteResponder(
            site: site, time: time, courier: courier, meter: SiteMeter(), onAnswer: onAnswer)
        do throws(HTTPListenerError) {
            let listener = try await HTTPListener.start(
                responder, host: host, port: port, name: "StoreSite", time: time)
            site.move(to: listener.address)
            return StoreSiteServer(listener, courier)
        } catch {
            await courier.stop()
            throw error
        }
    }

    /// Stops the server and closes its connections.
    ///
    /// - Parameter limit: how long requests that have arrived may take to be answered. Zero cuts them off.
    public func stop(within limit: Duration = .zero) async {
        await listener.end(within: limit)
        await courier.stop()
    }

    /// Waits until the server has stopped.
    public func finished() async { await listener.finished() }
}
