public import Determinism

/// Sends requests of one account: it decides the way, adds the credentials, repeats what may be repeated, renews an
/// application password that has ended, and tells errors from answers.
public final class SiteClient: RequestSending {
    private let network: any Network
    private let credentials: Credentials?
    private let passwords: ApplicationPasswordKeeper?
    private let converter: RequestConverter
    private let retries: RetryPolicy
    private let time: any TimeSource
    private let random: any RandomSource
    private let userAgent: String
    private let dotcom: WebAddress

    /// `credentials`: nil for requests in nobody's name.
    /// `issuer`: where application passwords come from. Without one a password that is refused stays refused.
    /// `random`: for pauses.
    /// `dotcom`: what is asked instead of WordPress.com, when something stands in for it.
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
            case .applicationPassword(let password, _): ApplicationPasswordKeeper(password, issuer: issuer)
            case .site: ApplicationPasswordKeeper(nil, issuer: issuer)
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
            // The site did nothing yet, so the request can be sent once more, whatever it is.
            guard case .service(let refusal) = error, refusal.status == 401, passwords.canRenew else { throw error }
            let renewed = try await passwords.renewed(insteadOf: password)
            return try await exchange(AuthenticatedRESTRequest(rest, password: renewed), since: start)
        }
    }

    /// A token goes to WordPress.com alone, a password to its site alone.
    private func authenticated(_ request: any Request) throws(NetworkError) -> any Request {
        guard credentials != nil, request is DotcomRequest || request is JetpackRequest else {
            return UnauthenticatedRequest(request)
        }
        guard case .wordPressDotcom(_, let token, _) = credentials else {
            throw .missingCredentials("this needs a WordPress.com account: sign in with one")
        }
        return AuthenticatedDotcomRequest(request, token: token)
    }

    /// Sends the request until it has an answer, or may not be sent again.
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
                    wire.isRepeatable || Self.wasNotCarriedOut(error)
                else { throw Self.told(error, after: doubt) }
                if wire.method != .get, error.mayHaveTakenEffect { doubt = error }
                var asked: Duration?
                if case .service(let service) = error { asked = service.retryAfter }
                let pause = retries.pause(after: attempt, asked: asked, random: random)
                // What would come after the deadline is not worth waiting for.
                guard time.elapsed(since: start) + pause < timeout else { throw Self.told(error, after: doubt) }
                do { try await time.sleep(for: pause) } catch { throw doubt ?? .cancelled(wasSent: false) }
                attempt += 1
            }
        }
    }

    /// A refusal of a later attempt says nothing of an earlier one.
    private static func told(_ error: NetworkError, after doubt: NetworkError?) -> NetworkError {
        guard let doubt, !error.mayHaveTakenEffect else { return error }
        return .outcomeUnknown(earlier: doubt, last: error)
    }

    /// Whether even what must not be done twice can be sent again: it did not leave, or the server refused it unseen.
    private static func wasNotCarriedOut(_ error: NetworkError) -> Bool {
        if case .service(let service) = error { return service.kind == .rateLimited }
        return !error.mayHaveTakenEffect
    }
}
