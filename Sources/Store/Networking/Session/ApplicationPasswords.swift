import Synchronization
import Text

/// A source of application passwords.
public protocol ApplicationPasswordIssuing: Sendable {
    /// Creates a new password. Other passwords stay as they are, also those of the same name: they may belong to
    /// another till.
    ///
    /// - Throws: ``NetworkError``
    func makePassword() async throws(NetworkError) -> ApplicationPassword
}

/// Creates application passwords in a session with other credentials: a WordPress.com token through the tunnel, or the
/// cookies of a site (WordPress REST API, application-passwords).
public struct ApplicationPasswordIssuer: ApplicationPasswordIssuing {
    private let sender: any RequestSender
    private let siteID: Int64
    private let name: String

    /// - Parameters:
    ///   - sender: a ``SiteClient`` with a WordPress.com account, or a ``CookieSignIn``.
    ///   - siteID: the site's ID at WordPress.com; not used with cookies.
    ///   - name: the name that the site shows for the password. When the site has one of this name, a number follows.
    public init(sender: any RequestSender, siteID: Int64, name: String = "CardPresent") {
        (self.sender, self.siteID, self.name) = (sender, siteID, name)
    }

    public func makePassword() async throws(NetworkError) -> ApplicationPassword {
        let user = try await Mapping.value(User.self, from: sender.send(request(.get, "users/me", ["context": "edit"])))
        var number = 1
        while true {
            let parameters: Parameters = ["name": .text(number == 1 ? name : "\(name) \(number)")]
            do throws(NetworkError) {
                let made = try await Mapping.value(
                    Made.self, from: sender.send(request(.post, Self.path, parameters)))
                return ApplicationPassword(
                    username: user.username, password: Secret(made.password), uuid: made.uuid)
            } catch {
                // Since version 6.8, WordPress refuses a second password of one name.
                guard case .service(let refusal) = error, refusal.code == "application_password_duplicate_name",
                    number < Self.mostOfOneName
                else { throw error }
                number += 1
            }
        }
    }

    private func request(_ method: HTTPMethod, _ path: String, _ parameters: Parameters) -> JetpackRequest {
        JetpackRequest(siteID: siteID, namespace: "wp/v2", method, path, parameters: parameters)
    }

    private static let path = "users/me/application-passwords"
    /// Passwords that were lost with the credentials of a till.
    private static let mostOfOneName = 50

    private struct User: Decodable, Sendable {
        let username: String
    }

    private struct Made: Decodable, Sendable {
        let uuid: String?
        let password: String
    }
}

/// Holds the application password of a session and renews it when the site rejects it. Requests that are rejected at
/// the same time share one renewal.
final class ApplicationPasswordCache: Sendable {
    private typealias Result = Swift.Result<ApplicationPassword, NetworkError>

    private struct State {
        var password: ApplicationPassword?
        /// The renewal in progress.
        var renewal: Task<Result, Never>?
    }

    private let state: Mutex<State>
    private let issuer: (any ApplicationPasswordIssuing)?

    init(_ password: ApplicationPassword?, issuer: (any ApplicationPasswordIssuing)?) {
        state = Mutex(State(password: password))
        self.issuer = issuer
    }

    var canRenew: Bool { issuer != nil }

    /// Returns the password; creates it if there is none.
    func current() async throws(NetworkError) -> ApplicationPassword {
        if let password = state.withLock({ $0.renewal == nil ? $0.password : nil }) { return password }
        return try await renewed(insteadOf: nil)
    }

    /// Returns a password other than `refused`.
    func renewed(insteadOf refused: ApplicationPassword?) async throws(NetworkError) -> ApplicationPassword {
        guard let issuer else { throw .missingCredentials("there is no application password: sign in again") }
        let running: Task<Result, Never>? = state.withLock { state in
            if let renewal = state.renewal { return renewal }
            // Another request has renewed it since this request was sent.
            if let password = state.password, password != refused { return nil }
            let renewal = Task { await self.renew(with: issuer) }
            state.renewal = renewal
            return renewal
        }
        guard let running else { return try await current() }
        return try await running.value.get()
    }

    private func renew(with issuer: any ApplicationPasswordIssuing) async -> Result {
        let result: Result
        do throws(NetworkError) { result = .success(try await issuer.makePassword()) } catch {
            result = .failure(error)
        }
        state.withLock { state in
            state.renewal = nil
            if case .success(let password) = result { state.password = password }
        }
        return result
    }
}

/// The application passwords of a site.
public struct ApplicationPasswordRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Revokes a password of the user.
    ///
    /// `uuid`: the site's ID of the password. It can be the password of this request. One that does not exist anymore
    /// is revoked.
    public func revoke(uuid: String) async throws(NetworkError) {
        do throws(NetworkError) {
            _ = try await sender.send(
                JetpackRequest(
                    siteID: 0, namespace: "wp/v2", .delete,
                    "users/me/application-passwords/\(PercentEncoding.encode(uuid))"))
        } catch {
            guard case .service(let refusal) = error, refusal.code == "rest_application_password_not_found" else {
                throw error
            }
        }
    }
}
