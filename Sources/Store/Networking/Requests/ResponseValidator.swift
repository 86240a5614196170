import Determinism
import Text

/// Separates responses from errors, by the rules of the interface that received the request.
struct ResponseValidator {
    let dialect: Dialect

    /// `now`: the time of this machine, to detect a wrong clock.
    /// - Returns: The JSON of the response.
    /// - Throws: ``NetworkError/service(_:)``, ``NetworkError/unreadable(_:)``
    func validate(_ response: HTTPResponse, now: Timestamp) throws(NetworkError) -> JSONDocument {
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(response.body)
        } catch {
            // An error page without JSON adds nothing to its status.
            guard response.isSuccess else {
                throw .service(Self.serviceError(response, code: nil, message: nil, now: now))
            }
            throw .unreadable(
                UnreadableContent(
                    problem: error, contentType: response.headers["Content-Type"], status: response.status))
        }
        if let (code, message, status) = error(in: document) {
            throw .service(Self.serviceError(response, status: status, code: code, message: message, now: now))
        }
        guard response.isSuccess else {
            throw .service(Self.serviceError(response, code: nil, message: nil, now: now))
        }
        return document
    }

    /// Returns the error in a response, if it is one. Its message is plain text. A status inside takes precedence over
    /// the HTTP status, which is the tunnel's.
    func error(in document: JSONDocument) -> (code: String, message: String?, status: Int?)? {
        let message = text("message", document).map(HTMLText.plain)
        if dialect != .wordPress, let code = text("error", document) {
            return (code, message, number("status", document))
        }
        // The tunnel forwards the site's errors unchanged.
        guard dialect != .dotcom, let code = text("code", document), let message else { return nil }
        let status = document.member("data", of: JSONDocument.root).flatMap { document.member("status", of: $0) }
            .flatMap { Int(document.text(document.nodes[$0])) }
        return (code, message, status)
    }

    private func text(_ name: String, _ document: JSONDocument) -> String? {
        guard let node = document.member(name, of: JSONDocument.root), document.nodes[node].kind == .text else {
            return nil
        }
        return document.text(document.nodes[node])
    }

    private func number(_ name: String, _ document: JSONDocument) -> Int? {
        guard let node = document.member(name, of: JSONDocument.root), document.nodes[node].kind == .number else {
            return nil
        }
        return Int(document.text(document.nodes[node]))
    }

    private static func serviceError(
        _ response: HTTPResponse, status: Int? = nil, code: String?, message: String?, now: Timestamp
    ) -> ServiceError {
        let shown = status ?? response.status
        let server = response.headers["Date"].flatMap(HTTPDate.init)?.moment
        let ahead = server.map { Duration.milliseconds(now.milliseconds - $0.milliseconds) }
        let isOff = ahead.map { $0 > .seconds(300) || $0 < .seconds(-300) } ?? false
        return ServiceError(
            status: shown, code: code, message: message,
            retryAfter: response.headers["Retry-After"].flatMap { HTTPDate.delay($0, now: server ?? now) },
            clockAhead: isOff && (400...403).contains(shown) ? ahead : nil)
    }
}

/// An error response of a server.
public struct ServiceError: Error, Hashable, Sendable {
    /// The HTTP status; 200 for an error in a successful response, as from the tunnel.
    public let status: Int
    /// The server's error code, for example `woocommerce_rest_shop_order_invalid_id`.
    public let code: String?
    /// The server's message, on one line.
    public let message: String?
    /// The time until the request can be sent again (RFC 9110 §10.2.3).
    public let retryAfter: Duration?
    /// How far this machine's clock is ahead of the server's, if more than five minutes: then signatures, tokens and
    /// certificates fail.
    public let clockAhead: Duration?

    /// Takes what the response tells. `clockAhead` is nil unless this machine's clock is off by more than five minutes.
    public init(
        status: Int, code: String? = nil, message: String? = nil, retryAfter: Duration? = nil,
        clockAhead: Duration? = nil
    ) {
        (self.status, self.retryAfter, self.clockAhead) = (status, retryAfter, clockAhead)
        self.code = code.map { Printable.text($0, limit: 100) }
        self.message = message.map { Printable.text($0) }
    }

    /// The meaning of the error, independent of the interface.
    public enum Kind: Hashable, Sendable {
        /// The credentials are missing or wrong.
        case unauthorized
        /// The WordPress.com token has expired: the user must sign in again.
        case invalidToken
        /// The user does not have permission.
        case forbidden
        /// WordPress.com cannot reach the site.
        case siteUnreachable
        case jetpackNotConnected
        /// The site does not have this route: a plug-in is missing, inactive or too old.
        case noRestRoute
        case noStatsPermission
        case statsModuleDisabled
        /// The requested object does not exist.
        case notFound
        /// Too many requests.
        case rateLimited
        /// The server rejected the request.
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

    /// Whether the server may have processed the request although it reports an error: it, or the site behind it, may
    /// have failed afterward.
    public var mayHaveTakenEffect: Bool {
        switch kind {
        case .serverFailure, .siteUnreachable: true
        case .rejected: status == 408
        default: false
        }
    }

    /// Whether the same request can succeed later.
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
        var text = message.map { "\($0)" } ?? "the server returned status \(status)"
        if let code { text += " (\(code), status \(status))" }
        if let clockAhead {
            let minutes = clockAhead.components.seconds / 60
            text +=
                "; this machine's clock is \(abs(minutes)) minutes \(minutes < 0 ? "behind" : "ahead of") the server's"
        }
        return text
    }
}

/// A response that is not JSON, or incomplete.
public struct UnreadableContent: Error, Hashable, Sendable, CustomStringConvertible {
    public let problem: JSONSyntaxError
    /// The `Content-Type`, for example `text/html; charset=UTF-8`.
    public let contentType: String?
    /// The HTTP status.
    public let status: Int

    /// Takes the problem of the body; neither the body nor a part of it is kept.
    public init(problem: JSONSyntaxError, contentType: String?, status: Int) {
        (self.problem, self.status) = (problem, status)
        self.contentType = contentType.map { Printable.text($0, limit: 100) }
    }

    public var description: String {
        let kind = contentType.map { " (status \(status), \($0))" } ?? " (status \(status))"
        return "the response is not JSON\(kind): \(problem)"
    }
}

/// A date in HTTP format (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
struct HTTPDate {
    let moment: Timestamp

    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT",
            let month = Self.months.firstIndex(of: String(parts[2])), let day = Int(parts[1]), let year = Int(parts[3]),
            let moment = Timestamp(
                "\(year.zeroPadded(to: 4))-\((month + 1).zeroPadded(to: 2))-\(day.zeroPadded(to: 2))T\(parts[4])Z")
        else { return nil }
        self.moment = moment
    }

    /// Parses `Retry-After`: seconds or a date (RFC 9110 §10.2.3).
    static func delay(_ text: String, now: Timestamp) -> Duration? {
        if let seconds = UInt32(text) { return .seconds(Int64(seconds)) }
        guard let moment = HTTPDate(text)?.moment else { return nil }
        return max(.zero, .milliseconds(moment.milliseconds - now.milliseconds))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
