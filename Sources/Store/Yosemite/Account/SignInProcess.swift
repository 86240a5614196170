public import Determinism
public import Networking

/// Signs a user in: verifies the credentials at a site or at WordPress.com, and lists the user's stores.
public struct SignInProcess: Sendable {
    /// The credentials of a sign-in.
    public enum Proof: Sendable {
        /// The password of the user's account at a site. It is exchanged for an application password and not stored.
        case password(Secret, username: String, site: WebAddress)
        /// An application password that the user created at the site.
        case applicationPassword(Secret, username: String, site: WebAddress)
        /// A token of a WordPress.com account.
        case token(Secret)
    }

    /// The signed-in user and the user's sites.
    public struct Outcome: Sendable {
        /// Has a store selected when there is only one.
        public var signIn: SignIn
        public let sites: [SiteDetails]
        /// The sites that could not be decoded.
        public let rejected: [DecodingFailure]
    }

    private let network: any Network
    private let time: any TimeSource
    private let random: any RandomSource
    private let dotcom: WebAddress
    private let programName: String
    private let allowsUnprotected: Bool

    /// - Parameters:
    ///   - network: sends the requests.
    ///   - time: the clock for deadlines and pauses.
    ///   - random: the random source for pauses between attempts.
    ///   - dotcom: the WordPress.com endpoints.
    ///   - programName: the name of the application password at the site. It tells the owner of the site which till
    ///     the password belongs to.
    ///   - allowsUnprotected: whether passwords may go over plain HTTP to another machine.
    public init(
        network: any Network, time: any TimeSource, random: any RandomSource, dotcom: WebAddress = .wordPressDotcom,
        programName: String, allowsUnprotected: Bool = false
    ) {
        (self.network, self.time, self.random, self.dotcom) = (network, time, random, dotcom)
        (self.programName, self.allowsUnprotected) = (programName, allowsUnprotected)
    }

    /// - Throws: ``SignInError``
    public func signIn(with proof: Proof) async throws(SignInError) -> Outcome {
        switch proof {
        case .password(let password, let username, let site):
            try check(site)
            let made = try await withSignInError(site) { () async throws(NetworkError) in
                let sender = CookieSignIn(
                    network: network, site: site, username: username, password: password, time: time)
                return try await ApplicationPasswordIssuer(sender: sender, siteID: 0, name: programName).makePassword()
            }
            let credentials = Credentials.applicationPassword(made, site: site)
            do throws(SignInError) { return try await signIn(credentials, at: site) } catch {
                // The password would be lost, and would stay valid.
                if let uuid = made.uuid { try? await ApplicationPasswordRemote(client(credentials)).revoke(uuid: uuid) }
                throw error
            }
        case .applicationPassword(let password, let username, let site):
            try check(site)
            // Sites show the password in groups of four; the spaces are not part of it.
            let typed = ApplicationPassword(
                username: username, password: Secret(password.revealed().filter { $0 != " " }))
            return try await signIn(.applicationPassword(typed, site: site), at: site)
        case .token(let token):
            try check(dotcom)
            let anonymous = Credentials.wordPressDotcom(username: "", token: token, site: nil)
            let account = try await withSignInError(dotcom) { () async throws(NetworkError) in
                try await AccountRemote(client(anonymous)).loadAccount()
            }
            return try await signIn(
                .wordPressDotcom(username: account.username, token: token, site: nil), at: dotcom)
        }
    }

    private func signIn(_ credentials: Credentials, at place: WebAddress) async throws(SignInError) -> Outcome {
        let client = client(credentials)
        let directory = SiteDirectory(client, directSite: credentials.directSite)
        let list = try await withSignInError(place) { () async throws(NetworkError) in
            // The index needs no credentials; this request does.
            if credentials.directSite != nil { _ = try await SiteIndexRemote(client).loadUsername(siteID: 0) }
            return try await directory.sites()
        }
        var sites: [SiteDetails] = []
        let stores = list.elements.filter(\.options.woocommerceIsActive)
        for site in list.elements {
            // Asking every site of an account would take long, and only the selected one matters.
            let isChosen = stores.count == 1 && site.id == stores.first?.id
            sites.append(
                SiteDetails(
                    site: site,
                    wooCommerceVersion: isChosen ? await directory.wooCommerceVersion(siteID: site.id) : nil))
        }
        let only = stores.count == 1 ? stores.first?.id : nil
        return Outcome(
            signIn: SignIn(credentials: credentials, dotcom: dotcom, siteID: only), sites: sites,
            rejected: list.rejected)
    }

    private func client(_ credentials: Credentials) -> SiteClient {
        SiteClient(network: network, credentials: credentials, time: time, random: random, dotcom: dotcom)
    }

    /// Refuses an address that is not encrypted, except on this machine.
    ///
    /// - Throws: ``SignInError/unprotected(_:)``
    public func check(_ address: WebAddress) throws(SignInError) {
        guard address.origin.scheme == .https || address.origin.isLoopback || allowsUnprotected else {
            throw .unprotected(address)
        }
    }

    private func withSignInError<Value>(
        _ place: WebAddress, _ body: () async throws(NetworkError) -> Value
    ) async throws(SignInError) -> Value {
        do throws(NetworkError) { return try await body() } catch {
            switch error {
            case .service(let service) where [.unauthorized, .invalidToken].contains(service.kind):
                throw .refused("\(place) does not take these credentials: \(service)")
            case .signInFailed(let text): throw .refused(text)
            case .service(let service) where service.status == 404 && service.code == nil:
                throw .notWordPress(place, error)
            case .unreadable, .undecodable: throw .notWordPress(place, error)
            default: throw .network(error)
            }
        }
    }
}

/// The reason why a sign-in failed. Nothing was stored.
public enum SignInError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The site uses plain HTTP and is not on this machine.
    case unprotected(WebAddress)
    /// The site refused the user name or password, or WordPress.com refused the token.
    case refused(String)
    /// The site's response is not one of WordPress.
    case notWordPress(WebAddress, NetworkError)
    case network(NetworkError)

    public var description: String {
        switch self {
        case .unprotected(let address):
            "\(address) is not encrypted, so others could read the password"
        case .refused(let text): text
        case .notWordPress(let address, let error):
            "\(address) doesn't respond like a WordPress site: \(error)"
        case .network(let error): error.description
        }
    }
}
