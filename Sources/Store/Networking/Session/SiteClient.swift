public import Determinism

/// Sends the requests of one account: selects the route, adds credentials, retries, renews an application password, and
/// separates errors from responses.
public final class SiteClient: RequestSender {
    private let network: any Network
    private let credentials: Credentials?
    private let passwords: ApplicationPasswordCache?
    private let converter: RequestConverter
    private let retries: RetryPolicy
    private let time: any TimeSource
    private let random: any RandomSource
    private let userAgent: String
    private let dotcom: WebAddress

    /// `credentials`: nil for anonymous requests.
    /// `issuer`: the source of new application passwords; nil never renews a rejected one.
    /// `random`: the source of random retry delays.
    /// `dotcom`: the server to use as WordPress.com.
    public init(
        network: any Network, credentials: Credentials?, issuer: (any ApplicationPasswordIssuing)? = nil,
        retries: RetryPolicy = RetryPolicy(), time: any TimeSource, random: any RandomSource,
        userAgent: String = "CardPresent", dotcom: WebAddress = .wordPressDotcom
    ) {
        (self.network, self.credentials, self.retries) = (network, credentials, retries)
        (self.time, self.random, self.userAgent, self.dotcom) = (time, random, userAgent, dotcom)
        converter = RequestConverter(credentials: credentials)
        passwords =
            switch credentials {
            case .applicationPassword(let password, _): ApplicationPasswordCache(password, issuer: issuer)
            case .site: ApplicationPasswordCache(nil, issuer: issuer)
            case .wordPressDotcom, nil: nil
            }
    }

    public func send(_ request: any Request) async throws(NetworkError) -> Response {
        let chosen = converter.convert(request)
        let start = time.reading()
        guard let rest = chosen as? RESTRequest, let passwords, let site = credentials?.directSite,
            rest.site.origin == site.origin
        else { return try await exchange(try authenticated(chosen), since: start) }
        let password = try await passwords.current()
        do throws(NetworkError) {
            return try await exchange(AuthenticatedRESTRequest(rest, password: password), since: start)
        } catch {
            // The site rejected the request before processing it, so any request can be sent again.
            guard case .service(let refusal) = error, refusal.status == 401, passwords.canRenew else { throw error }
            let renewed = try await passwords.renewed(insteadOf: password)
            return try await exchange(AuthenticatedRESTRequest(rest, password: renewed), since: start)
        }
    }

    /// Adds credentials. Tokens go only to WordPress.com and passwords only to their site.
    private func authenticated(_ request: any Request) throws(NetworkError) -> any Request {
        guard credentials != nil, request is DotcomRequest || request is JetpackRequest else {
            return UnauthenticatedRequest(request)
        }
        guard case .wordPressDotcom(_, let token, _) = credentials else {
            throw .missingCredentials("this command needs a WordPress.com account: sign in with one")
        }
        return AuthenticatedDotcomRequest(request, token: token)
    }

    /// Sends the request until it succeeds or must not be sent again.
    private func exchange(_ request: any Request, since start: Duration) async throws(NetworkError) -> Response {
        var wire = try request.httpRequest()
        wire.headers.add("User-Agent", userAgent)
        if wire.address.origin == WebAddress.wordPressDotcom.origin {
            wire.address = wire.address.moved(to: dotcom)
        }
        let timeout = wire.timeout
        let validator = ResponseValidator(dialect: request.dialect)
        var attempt = 1
        var doubt: NetworkError?
        while true {
            wire.timeout = timeout - time.elapsed(since: start)
            guard wire.timeout > .zero else { throw doubt ?? .timedOut(host: wire.address.origin.host, wasSent: false) }
            do throws(NetworkError) {
                let response = try await RedirectFollower(network: network).response(for: wire)
                let document = try validator.validate(response, now: time.now())
                return Response(document: document, headers: response.headers, dialect: request.dialect)
            } catch {
                guard attempt < retries.attempts, RetryPolicy.isWorthwhile(error),
                    wire.isRepeatable || Self.wasNotProcessed(error)
                else { throw Self.combined(error, after: doubt) }
                if wire.method != .get, error.mayHaveTakenEffect { doubt = error }
                var asked: Duration?
                if case .service(let service) = error { asked = service.retryAfter }
                let pause = retries.pause(after: attempt, asked: asked, random: random)
                // Do not wait for an attempt after the deadline.
                guard time.elapsed(since: start) + pause < timeout else { throw Self.combined(error, after: doubt) }
                do { try await time.sleep(for: pause) } catch { throw doubt ?? .canceled(wasSent: false) }
                attempt += 1
            }
        }
    }

    /// Combines the errors: the rejection of a later attempt says nothing about an earlier one.
    private static func combined(_ error: NetworkError, after doubt: NetworkError?) -> NetworkError {
        guard let doubt, !error.mayHaveTakenEffect else { return error }
        return .outcomeUnknown(earlier: doubt, last: error)
    }

    /// Returns whether the server did not process the request, so that even a request that must not be repeated can be
    /// sent again.
    private static func wasNotProcessed(_ error: NetworkError) -> Bool {
        if case .service(let service) = error { return service.kind == .rateLimited }
        return !error.mayHaveTakenEffect
    }
}

/// Sends requests with credentials and separates errors from responses.
public protocol RequestSender: Sendable {
    /// - Throws: ``NetworkError``
    func send(_ request: any Request) async throws(NetworkError) -> Response
}

/// A successful response, ready to be decoded.
public struct Response: Sendable {
    public let document: JSONDocument
    public let headers: HTTPHeaders
    /// The interface that responded.
    public let dialect: Dialect
}

/// How often and after which delays a repeatable request is sent again.
public struct RetryPolicy: Hashable, Sendable {
    /// The maximum number of attempts, at least one.
    public var attempts: Int
    /// The delay before the second attempt. It doubles for each further attempt.
    public var firstPause: Duration
    public var longestPause: Duration

    /// Sets the policy. Each pause is twice as long as the one before it, up to `longestPause`.
    public init(attempts: Int = 4, firstPause: Duration = .milliseconds(500), longestPause: Duration = .seconds(20)) {
        (self.attempts, self.firstPause, self.longestPause) = (attempts, firstPause, longestPause)
    }

    /// Sends every request once.
    public static let never = RetryPolicy(attempts: 1)

    /// Returns whether another attempt can succeed.
    static func isWorthwhile(_ error: NetworkError) -> Bool {
        switch error {
        case .cannotConnect, .connectionLost: true
        case .timedOut: true
        case .service(let error): error.isTransient
        default: false
        }
    }

    /// Returns the delay after attempt `number` (from 1): the server's `Retry-After`, or half of the step plus a random
    /// part of the other half, so that many tills do not retry at the same time.
    func pause(after number: Int, asked: Duration?, random: any RandomSource) -> Duration {
        if let asked { return asked }
        let step = min(longestPause, firstPause * (1 << min(max(0, number - 1), 16)))
        return step / 2 + step / 2 * Int(random.number(in: 0...1000)) / 1000
    }
}

/// Follows redirects (RFC 9110 §15.4) of GET requests. A request with credentials is only redirected within its origin.
struct RedirectFollower {
    let network: any Network

    private static let limit = 5

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        var request = request
        for _ in 0...Self.limit {
            let response = try await network.response(for: request)
            guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"]
            else {
                return response
            }
            let target: WebAddress
            do throws(WebAddressError) { target = try request.address.resolving(location) } catch {
                throw .invalidAddress(error)
            }
            let isSameOrigin = target.origin == request.address.origin
            let isDowngraded = request.address.origin.scheme == .https && target.origin.scheme == .http
            guard request.method == .get, !isDowngraded, isSameOrigin || !request.isAuthenticated else {
                throw .redirectRefused(from: request.address.withoutQuery, to: target.withoutQuery)
            }
            request.address = target
        }
        throw .redirectRefused(from: request.address.withoutQuery, to: "another address after \(Self.limit) redirects")
    }
}
