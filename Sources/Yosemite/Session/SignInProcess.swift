public import Determinism
public import Networking

/// Signs somebody in: proves to a site or to WordPress.com who they are, and finds out which stores are there.
public struct SignInProcess: Sendable {
    /// What somebody signs in with.
    public enum Proof: Sendable {
        /// The password of the user's account at a site. It is traded for an application password and not kept.
        case password(Secret, username: String, site: WebAddress)
        /// A password that the site made for a program, and somebody typed in.
        case applicationPassword(Secret, username: String, site: WebAddress)
        /// Of a WordPress.com account.
        case token(Secret)
    }

    /// Who is signed in, and what was found.
    public struct Outcome: Sendable {
        /// With a store chosen when there is only one.
        public var signIn: SignIn
        public let sites: [StoreSite]
        /// Sites that could not be read.
        public let rejected: [DecodingFailure]
    }

    private let network: any Network
    private let time: any TimeSource
    private let random: any RandomSource
    private let dotcom: WebAddress
    private let programName: String
    private let allowsUnprotected: Bool

    /// - Parameters:
    ///   - network: carries the requests.
    ///   - time: what deadlines and pauses are counted by.
    ///   - random: for pauses between attempts.
    ///   - dotcom: what is asked as WordPress.com.
    ///   - programName: by which a site knows the application password. It has one of a name, so each till needs its own.
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
            let made = try await told(site) { () async throws(NetworkError) in
                let sender = CookieSignIn(
                    network: network, site: site, username: username, password: password, time: time)
                return try await ApplicationPasswordIssuer(sender: sender, siteID: 0, name: programName).makePassword()
            }
            return try await signIn(.applicationPassword(made, site: site), at: site)
        case .applicationPassword(let password, let username, let site):
            try check(site)
            // Shown in groups of four; the blanks mean nothing.
            let typed = ApplicationPassword(
                username: username, password: Secret(password.revealed().filter { $0 != " " }))
            return try await signIn(.applicationPassword(typed, site: site), at: site)
        case .token(let token):
            try check(dotcom)
            let nobody = Credentials.wordPressDotcom(username: "", token: token, site: nil)
            let account = try await told(dotcom) { () async throws(NetworkError) in
                try await AccountRemote(client(nobody)).loadAccount()
            }
            return try await signIn(
                .wordPressDotcom(username: account.username, token: token, site: nil), at: dotcom)
        }
    }

    private func signIn(_ credentials: Credentials, at place: WebAddress) async throws(SignInError) -> Outcome {
        let client = client(credentials)
        let directory = SiteDirectory(client, directSite: credentials.directSite)
        let list = try await told(place) { () async throws(NetworkError) in
            // The index is open to everybody; this is not.
            if credentials.directSite != nil { _ = try await SiteIndexRemote(client).loadUsername(siteID: 0) }
            return try await directory.sites()
        }
        var sites: [StoreSite] = []
        let stores = list.elements.filter(\.options.woocommerceIsActive)
        for site in list.elements {
            // Asking every site of an account would take long, and only the one that is chosen matters.
            let isChosen = stores.count == 1 && site.id == stores.first?.id
            sites.append(
                StoreSite(
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

    /// Refuses an address where others could read what is sent.
    ///
    /// - Throws: ``SignInError/unprotected(_:)``
    public func check(_ address: WebAddress) throws(SignInError) {
        guard address.origin.scheme == .https || address.origin.isLoopback || allowsUnprotected else {
            throw .unprotected(address)
        }
    }

    private func told<Value>(
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
