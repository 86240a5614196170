/// What is asked of a store, before it is decided how it gets there.
public protocol Request: Sendable {
    /// The request as it goes over the wire, without credentials.
    ///
    /// - Throws: ``NetworkError/invalidAddress(_:)``
    func httpRequest() throws(NetworkError) -> HTTPRequest

    /// Which interface answers: what its errors look like, and whether the answer is in an envelope.
    var dialect: Dialect { get }

    /// The same request to the site itself, nil when it only makes sense where it is sent to.
    func direct(site: WebAddress) -> RESTRequest?
}

extension Request {
    public func direct(site: WebAddress) -> RESTRequest? { nil }
}

/// The interfaces, each with errors of its own.
public enum Dialect: Hashable, Sendable {
    /// `rest/v1.x` of WordPress.com: errors are `{"error": …, "message": …}`, often with status 200.
    case dotcom
    /// A site behind WordPress.com's tunnel: errors as above or as the site's, answers in `{"data": …}`.
    case tunnel
    /// `wp/v2` and `wpcom/v2`, and a site itself: errors are `{"code": …, "message": …, "data": {"status": …}}`.
    case wordPress
}
