import Determinism
import Networking
import StoreSite
import Synchronization

/// Carries requests to a ``StoreSite`` in this process: its logic is the simulated site's own, without sockets.
///
/// `site.add(try FaultRule("POST /wc/v3/orders #1 lost-answer"))` makes something go wrong.
final class StoreSiteNetwork: Network {
    let site: StoreSite
    private let time: any TimeSource
    private let log = Mutex<[HTTPRequest]>([])

    static let username = "shopkeeper"
    static let password = "correct horse battery"
    static let token = "dotcom-token"
    static let address = "http://store.example"
    static let siteID: Int64 = 210_000_001

    /// `time`: the site's clock, and what delayed answers wait on.
    /// `hasGateways`: whether the store has WooPayments and the Stripe extension.
    init(
        orders: Int = 20, seed: UInt64 = 1, hasGateways: Bool = true, time: any TimeSource = VirtualTimeSource()
    ) {
        self.time = time
        var configuration = StoreSiteConfiguration(
            address: Self.address, orders: orders, username: Self.username,
            password: SitePassword(Self.password), token: SitePassword(Self.token), siteID: Self.siteID,
            hasStripe: hasGateways)
        configuration.hasWooPayments = hasGateways
        site = StoreSite(configuration, time: time, random: SeededRandomSource(seed: seed))
    }

    var requests: [HTTPRequest] { log.withLock { $0 } }

    /// Those of the owner at the site itself: requests go there directly.
    static var applicationPassword: Credentials {
        get throws {
            .applicationPassword(
                ApplicationPassword(username: username, password: Secret(password)), site: try WebAddress(address))
        }
    }

    /// Those of the owner at WordPress.com: requests go through the tunnel.
    static var dotcom: Credentials { .wordPressDotcom(username: username, token: Secret(token), site: nil) }

    /// A client that repeats nothing, so that a test sees every error.
    func client(
        _ credentials: Credentials, retries: RetryPolicy = .never,
        random: any RandomSource = SeededRandomSource(seed: 1)
    ) -> SiteClient {
        SiteClient(network: self, credentials: credentials, retries: retries, time: time, random: random)
    }

    func response(for request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        log.withLock { $0.append(request) }
        var headers = request.headers.fields.map { (name: $0.name, value: $0.value) }
        if let authorization = request.authorization { headers.append(("Authorization", authorization.revealed())) }
        if let cookie = request.cookie { headers.append(("Cookie", cookie.revealed())) }
        let target = request.address.path + (request.address.query.map { "?" + $0 } ?? "")
        let host = request.address.origin.host
        let answer = site.answer(
            SiteRequest(method: request.method.rawValue, target: target, headers: headers, body: request.body ?? []))
        guard answer.delay < request.timeout else {
            do { try await time.sleep(for: request.timeout) } catch { throw .canceled(wasSent: true) }
            throw .timedOut(host: host, wasSent: true)
        }
        if answer.delay > .zero {
            do { try await time.sleep(for: answer.delay) } catch { throw .canceled(wasSent: true) }
        }
        switch answer.delivery {
        case .cut, .truncated: throw .connectionLost(host: host, reason: "the site ended the connection")
        case .slow(let bytesPerSecond):
            let needed = Duration.milliseconds(answer.response.body.count * 1000 / max(1, bytesPerSecond))
            guard needed < request.timeout else { throw .timedOut(host: host, wasSent: true) }
        case .whole: break
        }
        guard answer.response.body.count <= request.sizeLimit else {
            throw .responseTooLarge(limit: request.sizeLimit)
        }
        var received = HTTPHeaders()
        for header in answer.response.headers { received.add(header.name, header.value) }
        return HTTPResponse(status: answer.response.status, headers: received, body: answer.response.body)
    }
}
