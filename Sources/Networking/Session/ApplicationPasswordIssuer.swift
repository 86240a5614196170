/// Makes application passwords with a session that is signed in another way: a WordPress.com token and the tunnel, or
/// the cookies of a site (WordPress REST API, application-passwords).
public struct ApplicationPasswordIssuer: ApplicationPasswordIssuing {
    private let sender: any RequestSending
    private let siteID: Int64
    private let name: String

    /// - Parameters:
    ///   - sender: a ``SiteClient`` with a WordPress.com account, or a ``CookieSignIn``.
    ///   - siteID: the site as WordPress.com knows it; anything with cookies.
    ///   - name: by which the site's owner sees the password. There is one of each name.
    public init(sender: any RequestSending, siteID: Int64, name: String = "CardPresent") {
        (self.sender, self.siteID, self.name) = (sender, siteID, name)
    }

    public func makePassword() async throws(NetworkError) -> ApplicationPassword {
        let user = try await Mapping.value(User.self, from: sender.send(request(.get, "users/me", ["context": "edit"])))
        try await takeBackOldOne()
        let parameters: Parameters = ["name": .text(name)]
        let made = try await Mapping.value(
            Made.self, from: sender.send(request(.post, Self.path, parameters)))
        return ApplicationPassword(
            username: user.username, password: Secret(made.password), uuid: made.uuid)
    }

    /// A site has one password of a name.
    private func takeBackOldOne() async throws(NetworkError) {
        let known = try await Mapping.list(Known.self, from: sender.send(request(.get, Self.path, [:])))
        for password in known.elements where password.name == name {
            _ = try await sender.send(request(.delete, "\(Self.path)/\(password.uuid)", [:]))
        }
    }

    private func request(_ method: HTTPMethod, _ path: String, _ parameters: Parameters) -> JetpackRequest {
        JetpackRequest(siteID: siteID, namespace: "wp/v2", method, path, parameters: parameters)
    }

    private static let path = "users/me/application-passwords"

    private struct User: Decodable, Sendable {
        let username: String
    }

    private struct Known: Decodable, Sendable {
        let uuid: String
        let name: String
    }

    private struct Made: Decodable, Sendable {
        let uuid: String?
        let password: String
    }
}
