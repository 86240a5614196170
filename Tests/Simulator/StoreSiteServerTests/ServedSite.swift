import Determinism
import Networking
import StoreSite
import StoreSiteServer

/// A site behind a real socket, and clients that reach it over real HTTP.
struct ServedSite {
    let site: StoreSite
    let server: StoreSiteServer
    let network: CurlNetwork
    let time: VirtualTimeSource

    private static let username = "shopkeeper"
    private static let password = "correct horse"
    private static let token = "dotcom-token"

    private init(site: StoreSite, server: StoreSiteServer, time: VirtualTimeSource) throws {
        (self.site, self.server, self.time) = (site, server, time)
        network = try CurlNetwork()
    }

    var siteID: Int64 { site.siteIDs[0] }

    var address: WebAddress { get throws { try WebAddress(server.address) } }

    /// Serves a site for as long as `work` takes. What waits, waits on the virtual clock.
    static func with(orders: Int = 40, _ work: (ServedSite) async throws -> Void) async throws {
        let time = VirtualTimeSource()
        let site = StoreSite(
            StoreSiteConfiguration(
                orders: orders, username: username, password: SitePassword(password), token: SitePassword(token)),
            time: time, random: SeededRandomSource(seed: 1))
        let server = try await StoreSiteServer.start(site, time: time)
        do {
            try await work(try ServedSite(site: site, server: server, time: time))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Goes to the site itself, with an application password.
    func direct(_ password: String = ServedSite.password, retries: RetryPolicy = .never) throws -> SiteClient {
        let credentials = Credentials.applicationPassword(
            ApplicationPassword(username: Self.username, password: Secret(password)), site: try address)
        return SiteClient(
            network: network, credentials: credentials, retries: retries, time: time,
            random: SeededRandomSource(seed: 2))
    }

    /// Goes to WordPress.com, and through its tunnel.
    func dotcom(_ token: String = ServedSite.token) throws -> SiteClient {
        let credentials = Credentials.wordPressDotcom(username: Self.username, token: Secret(token), site: nil)
        return SiteClient(
            network: network, credentials: credentials, retries: .never, time: time,
            random: SeededRandomSource(seed: 2), dotcom: try address)
    }

    /// Signs in as a browser does.
    func browser(_ password: String = ServedSite.password) throws -> CookieSignIn {
        CookieSignIn(
            network: network, site: try address, username: Self.username, password: Secret(password), time: time)
    }
}

/// A way to the store.
enum Way: CaseIterable, Sendable {
    case direct, tunnel

    func client(_ served: ServedSite) throws -> SiteClient {
        switch self {
        case .direct: try served.direct()
        case .tunnel: try served.dotcom()
        }
    }
}
