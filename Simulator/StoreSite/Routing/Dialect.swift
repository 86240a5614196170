/// The interface that a request came to: each has its own form of errors and envelopes.
enum Dialect: Hashable, Sendable {
    /// The site's own REST interface.
    case site
    /// WordPress.com's tunnel to it.
    case tunnel
    /// WordPress.com's own calls.
    case dotcom
}
