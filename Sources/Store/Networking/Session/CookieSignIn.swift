public import Determinism
import Synchronization
import Text

/// Signs in at a site with the user's password, like a browser, and sends requests with the session cookies. Used only
/// to create an application password.
public final class CookieSignIn: RequestSender {
    private struct Session {
        let cookie: Secret
        let nonce: Secret
    }

    private let network: any Network
    private let site: WebAddress
    private let username: String
    private let password: Secret
    private let time: any TimeSource
    private let session = Mutex<Session?>(nil)

    /// Prepares a sign-in; the first request signs in. The password is that of the user, not an application password.
    public init(network: any Network, site: WebAddress, username: String, password: Secret, time: any TimeSource) {
        (self.network, self.site, self.username) = (network, site, username)
        (self.password, self.time) = (password, time)
    }

    public func send(_ request: any Request) async throws(NetworkError) -> Response {
        guard let direct = request.direct(site: site), direct.site.origin == site.origin else {
            throw .missingCredentials("this command needs a WordPress.com account: sign in with one")
        }
        let session = try await signedIn()
        var wire = try direct.httpRequest()
        wire.cookie = session.cookie
        // The nonce is only valid together with the cookies.
        wire.headers.add("X-WP-Nonce", session.nonce.revealed())
        let response = try await RedirectFollower(network: network).response(for: wire)
        let document = try ResponseValidator(dialect: .wordPress).validate(response, now: time.now())
        return Response(document: document, headers: response.headers, dialect: .wordPress)
    }

    private func signedIn() async throws(NetworkError) -> Session {
        if let session = session.withLock({ $0 }) { return session }
        let nonceAddress = site.appending(path: "wp-admin/admin-ajax.php", query: "action=rest-nonce")
        let form = PercentEncoding.form([
            ("log", username), ("pwd", password.revealed()), ("rememberme", "forever"),
            ("redirect_to", nonceAddress.text),
        ])
        let signIn = HTTPRequest(
            method: .post, address: site.appending(path: "wp-login.php"),
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            // WordPress uses this cookie to check that cookies work.
            cookie: Secret("wordpress_test_cookie=WP%20Cookie%20check"), body: Array(form.utf8))
        let answer = try await network.response(for: signIn)
        let cookies = Self.cookies(in: answer.headers)
        guard cookies.contains(where: { $0.hasPrefix("wordpress_logged_in_") }) else {
            try refuseRedirection(answer, of: signIn)
            guard answer.status < 400 else {
                throw .service(ServiceError(status: answer.status, message: "the site's sign-in page failed"))
            }
            // After a wrong password, WordPress returns the form again.
            throw .signInFailed("\(site.withoutQuery) does not accept the user name and password")
        }
        let cookie = Secret(cookies.joined(separator: "; "))
        let nonce = try await network.response(for: HTTPRequest(address: nonceAddress, cookie: cookie))
        let text = String(decoding: nonce.body.prefix(64), as: UTF8.self)
        guard nonce.status == 200, (1...32).contains(text.utf8.count), text.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else {
            throw .signInFailed(
                "\(site.withoutQuery) does not allow the sign-in of programs: its admin-ajax.php returns no nonce")
        }
        let session = Session(cookie: cookie, nonce: Secret(text))
        self.session.withLock { $0 = session }
        return session
    }

    /// Rejects a redirect to another origin, so that the password is not sent there.
    private func refuseRedirection(_ answer: HTTPResponse, of request: HTTPRequest) throws(NetworkError) {
        guard (300...399).contains(answer.status), let location = answer.headers["Location"],
            let target = try? request.address.resolving(location), target.origin != request.address.origin
        else { return }
        throw .redirectRefused(from: request.address.withoutQuery, to: target.withoutQuery)
    }

    /// Returns `name=value` of every `Set-Cookie` header (RFC 6265 §5.2).
    private static func cookies(in headers: HTTPHeaders) -> [String] {
        headers.values(of: "Set-Cookie").compactMap { line in
            let pair = line.prefix { $0 != ";" }
            return pair.contains("=") ? String(pair) : nil
        }
    }
}
