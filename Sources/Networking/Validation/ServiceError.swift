/// What a server said instead of doing what it was asked.
public struct ServiceError: Error, Hashable, Sendable {
    /// Of HTTP; 200 when the error came as a good answer, as the tunnel's do.
    public let status: Int
    /// The server's own name for it, for example `woocommerce_rest_shop_order_invalid_id`.
    public let code: String?
    /// The server's own words, on one line.
    public let message: String?
    /// When it may be asked again (RFC 9110 §10.2.3).
    public let retryAfter: Duration?
    /// By how much this machine's clock is ahead of the server's, when that is more than five minutes: signatures,
    /// tokens and certificates fail then.
    public let clockAhead: Duration?

    public init(
        status: Int, code: String? = nil, message: String? = nil, retryAfter: Duration? = nil,
        clockAhead: Duration? = nil
    ) {
        (self.status, self.retryAfter, self.clockAhead) = (status, retryAfter, clockAhead)
        self.code = code.map { Printable.text($0, limit: 100) }
        self.message = message.map { Printable.text($0) }
    }

    /// What it means, whichever of the interfaces said it.
    public enum Kind: Hashable, Sendable {
        /// The credentials are missing or wrong.
        case unauthorized
        /// The WordPress.com token has ended: the user must sign in again.
        case invalidToken
        /// The user may not do this.
        case forbidden
        /// WordPress.com cannot reach the site.
        case siteUnreachable
        case jetpackNotConnected
        /// The site does not have this interface: a plug-in is missing, off or too old.
        case noRestRoute
        case noStatsPermission
        case statsModuleDisabled
        /// The thing asked for does not exist.
        case notFound
        /// Too many requests.
        case rateLimited
        /// The request is not acceptable.
        case rejected
        /// The server failed.
        case serverFailure
    }

    public var kind: Kind {
        switch code {
        case "invalid_token": return .invalidToken
        case "unauthorized" where message == "The OAuth2 token is invalid.": return .invalidToken
        case "http_request_failed": return .siteUnreachable
        case "unknown_token": return .jetpackNotConnected
        case "invalid_blog"
        where message?.contains("does not have access") == true || message?.contains("Jetpack") == true:
            return .jetpackNotConnected
        case "rest_no_route": return .noRestRoute
        case "unauthorized" where message?.contains("view stats") == true: return .noStatsPermission
        case "invalid_blog" where message?.contains("module") == true || message?.contains("disabled") == true:
            return .statsModuleDisabled
        case "unauthorized", "rest_not_logged_in", "incorrect_password", "invalid_username": return .unauthorized
        case "invalid_application_password", "application_passwords_disabled": return .unauthorized
        case "rest_forbidden" where status == 401: return .unauthorized
        case "rest_forbidden": return .forbidden
        case .some(let code) where code.hasSuffix("_invalid_id") || code.hasSuffix("_term_invalid"): return .notFound
        default: break
        }
        switch status {
        case 401: return .unauthorized
        case 403: return .forbidden
        case 404, 410: return .notFound
        case 429: return .rateLimited
        case 500...: return .serverFailure
        default: return .rejected
        }
    }

    /// Whether the request may have been carried out although the server reports an error: it may have failed after it
    /// had, or the site behind it may have.
    public var mayHaveTakenEffect: Bool {
        switch kind {
        case .serverFailure, .siteUnreachable: true
        case .rejected: status == 408
        default: false
        }
    }

    /// Whether the same request may have another answer in a moment.
    public var isTransient: Bool {
        switch kind {
        case .rateLimited, .siteUnreachable: true
        case .serverFailure: status == 500 || (502...504).contains(status)
        default: status == 408
        }
    }
}

extension ServiceError: CustomStringConvertible {
    public var description: String {
        var text = message.map { "\($0)" } ?? "the server answered with status \(status)"
        if let code { text += " (\(code), status \(status))" }
        if let clockAhead {
            let minutes = clockAhead.components.seconds / 60
            text +=
                "; this machine's clock is \(abs(minutes)) minutes \(minutes < 0 ? "behind" : "ahead of") the server's"
        }
        return text
    }
}
