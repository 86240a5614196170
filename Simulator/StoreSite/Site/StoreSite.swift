public import Determinism
import Synchronization
import Text

/// A simulated WooCommerce store with WordPress.com in front of it, without I/O: requests in, responses out, with
/// lasting effects.
///
/// The same configuration, clock, random source, and requests give the same responses, byte for byte. Concurrent
/// requests are executed one after another.
public final class StoreSite: Sendable {
    private let state: Mutex<SiteState>
    private let time: any TimeSource

    /// Creates a site.
    ///
    /// - Parameters:
    ///   - configuration: the initial state.
    ///   - time: the site's clock; its orders are older.
    ///   - random: the random seed of the generated data, keys, and numbers. Only its streams are used.
    public init(_ configuration: StoreSiteConfiguration, time: any TimeSource, random: any RandomSource) {
        self.time = time
        state = Mutex(SiteState(configuration, now: time.now(), random: random))
    }

    /// Executes a request, unless a fault prevents it.
    public func answer(_ request: SiteRequest) -> SiteAnswer {
        let now = time.now()
        return state.withLock { $0.answer(request, at: now) }
    }

    /// Changes the site's address. `address` has no trailing slash.
    public func move(to address: String) { state.withLock { $0.move(to: address) } }

    /// Replaces the owner's password, the token, and the consumer keys. What signed in before stays signed in; the
    /// application passwords that the site issued stay valid.
    public func replaceSecrets(password: SitePassword, token: SitePassword, consumerKeys: [ConsumerKey]) {
        state.withLock { $0.replaceSecrets(password, token, consumerKeys) }
    }

    /// Adds a fault rule after the active ones.
    public func add(_ rule: FaultRule) { state.withLock { $0.add(rule) } }

    /// Removes all fault rules.
    public func removeFaults() { state.withLock { $0.faults.removeAll() } }

    /// The IDs of the site with WooCommerce and of the one without.
    public var siteIDs: [Int64] { state.withLock { $0.stores.map(\.identity.id) } }

    /// The requests so far, oldest first; of very many, only the latest. Control requests are not included.
    public var requests: [SeenRequest] { state.withLock { $0.seen } }

    /// The current orders of the site with WooCommerce, by number.
    public var orders: [SiteOrder] {
        state.withLock { ($0.stores.first?.orders.all ?? []).map(SiteOrder.init) }.sorted { $0.id < $1.id }
    }

    /// Returns the messages to webhooks that were not returned before, in order. The caller sends them, and reports the
    /// responses to ``record(_:of:)``.
    public func takeDeliveries() -> [WebhookDelivery] { state.withLock { $0.outbox.take() } }

    /// Records the status of the response to a delivery; 0 without a response.
    public func record(_ status: Int, of delivery: WebhookDelivery) {
        state.withLock { $0.record(status, of: delivery) }
    }

    /// The charges, oldest first: one entry per charge, no matter how often it was requested.
    public var ledger: [LedgerEntry] {
        state.withLock { $0.stores.flatMap(\.payments.charges).map(LedgerEntry.init) }
    }
}

/// The configuration of a simulated store.
public struct StoreSiteConfiguration: Sendable {
    /// The base URL for clients, without a trailing slash; the site's responses contain it.
    public var address: String
    /// The number of orders at the start.
    public var orders: Int
    /// The owner's user name at the site and at WordPress.com.
    public var username: String
    /// The owner's password for signing in with a browser; also an application password.
    public var password: SitePassword
    /// The access token of a WordPress.com client.
    public var token: SitePassword
    /// The ID of the site with WooCommerce; the site without it has the next one.
    public var siteID: Int64
    /// Whether the store has the Stripe extension besides WooPayments, so that a till must choose its gateway.
    public var hasStripe: Bool
    /// The keys with which other programs sign in to the REST API of the site with WooCommerce.
    public var consumerKeys: [ConsumerKey]
    /// Whether the store has WooPayments.
    public var hasWooPayments = true

    /// Sets the store up. `address` is its URL without a slash at the end; `orders` is how many it begins with.
    public init(
        address: String = "http://127.0.0.1:8181", orders: Int = 50, username: String = "shopkeeper",
        password: SitePassword, token: SitePassword, siteID: Int64 = 210_000_001,
        hasStripe: Bool = true, consumerKeys: [ConsumerKey] = []
    ) {
        (self.address, self.orders, self.username) = (address, orders, username)
        (self.password, self.token, self.siteID) = (password, token, siteID)
        (self.hasStripe, self.consumerKeys) = (hasStripe, consumerKeys)
    }
}

/// The mutable state of a ``StoreSite``.
struct SiteState: Sendable {
    private(set) var user: SiteUser
    var account: DotcomAccount
    var stores: [SiteStore]
    /// The accounts of each site.
    var accounts: [SiteAccounts]
    var faults = FaultPlan()
    /// The stores when a rule for stale answers was added.
    private var oldStores: [SiteStore] = []
    var outbox: WebhookOutbox
    private(set) var seen: [SeenRequest] = []
    /// How far the site's clock was moved ahead.
    var clockAhead = Duration.zero

    private var configuration: StoreSiteConfiguration
    private let random: any RandomSource
    private var faultChance: SeededGenerator
    private var requestCount = 0

    private static let mostSeen = 20_000

    init(_ configuration: StoreSiteConfiguration, now: Timestamp, random: any RandomSource) {
        (self.configuration, self.random) = (configuration, random)
        let world = StoreGenerator(configuration: configuration, now: now, random: random).world()
        (user, account, stores, accounts) = (world.user, world.account, world.stores, world.accounts)
        faultChance = SeededGenerator(source: random.stream("faults"))
        outbox = WebhookOutbox(names: SeededGenerator(source: random.stream("webhooks")))
    }

    /// Restores the initial state, except the clock.
    mutating func reset(at now: Timestamp) {
        let (ahead, address) = (clockAhead, stores.first?.identity.address)
        self = SiteState(configuration, now: now, random: random)
        clockAhead = ahead
        if let address { move(to: address) }
    }

    /// Also for later resets.
    mutating func replaceSecrets(_ password: SitePassword, _ token: SitePassword, _ keys: [ConsumerKey]) {
        for index in accounts.indices {
            accounts[index].replacePassword(configuration.password, by: password)
            if stores[index].identity.hasWooCommerce { accounts[index].keyring.replaceKeys(keys) }
        }
        (user.password, account.token) = (password, token)
        (configuration.password, configuration.token, configuration.consumerKeys) = (password, token, keys)
    }

    mutating func add(_ rule: FaultRule) {
        if rule.fault == .stale { oldStores = stores }
        faults.add(rule)
    }

    mutating func move(to address: String) {
        for index in stores.indices {
            let own = address + stores[index].identity.folder
            stores[index].identity.address = own
            stores[index].orders.forgetRendered()
            for note in account.notifications.indices
            where account.notifications[note].siteID == stores[index].identity.id {
                account.notifications[note].siteAddress = own
            }
        }
    }

    // MARK: Requests

    mutating func answer(_ request: SiteRequest, at moment: Timestamp) -> SiteAnswer {
        let now = moment.advanced(by: clockAhead)
        let destination = Destination(request, stores.map(\.identity))
        var seen = SeenRequest(
            number: requestCount + 1, method: request.method, path: destination.path, route: destination.route,
            status: 0)
        if case .control(let parts) = destination.place {
            let response = ControlEndpoints.answer(parts, request, &self, at: moment)
            seen.status = response.status
            return SiteAnswer(response, seen: seen)
        }
        requestCount += 1
        let fault = faults.fault(
            method: destination.method, paths: [destination.path] + (destination.route.map { [$0] } ?? []),
            generator: faultChance)
        seen.fault = fault?.description
        var answer: SiteAnswer
        if let response = fault?.instead(destination.dialect) {
            answer = SiteAnswer(response, delivery: fault == .cut ? .cut : .whole, seen: seen)
        } else {
            let current = fault == .stale && destination.method == "GET" ? stores : nil
            if let current { stores = old(current) }
            let response = respond(to: request, destination, at: now)
            if let current { stores = current }
            tellOwner(at: now)
            tellWebhooks(at: now)
            answer = SiteAnswer(response, seen: seen)
            fault?.spoil(&answer, destination.dialect)
        }
        answer.seen.status = answer.delivery == .cut ? 0 : answer.response.status
        remember(answer.seen)
        return answer
    }

    /// Returns the stores as they were when a rule for stale answers was added, at their current addresses.
    private func old(_ current: [SiteStore]) -> [SiteStore] {
        zip(oldStores, current).map { old, current in
            var store = old
            store.identity = current.identity
            return store
        }
    }

    private mutating func remember(_ request: SeenRequest) {
        // Remove in batches, so that not every request moves all others.
        if seen.count >= 2 * Self.mostSeen { seen.removeFirst(Self.mostSeen) }
        seen.append(request)
    }

    private mutating func respond(
        to request: SiteRequest, _ destination: Destination, at now: Timestamp
    ) -> SiteResponse {
        do throws(SiteError) {
            switch destination.place {
            case .rest(let site, let route):
                let response = rest(request, destination, site, route, now)
                return destination.isEnveloped ? response.enveloped : response
            case .tunnel(let blog, let route, let parameters):
                try account.check(request)
                let site = try DotcomEndpoints.index(blog, self)
                let parameters = try parameters()
                let reply = try rest(site, destination.method, route, parameters, Visitor(user: user), now)
                return tunnelled(reply, parameters)
            case .dotcom(let parts):
                try account.check(request)
                let node = try DotcomEndpoints.rest(
                    destination.method, parts, try destination.parameters(request), &self, now)
                return .json(node)
            case .namespaced(let namespace, let parts):
                try account.check(request)
                let parameters = try destination.parameters(request)
                let reply = try DotcomEndpoints.namespaced(
                    namespace, destination.method, parts, parameters, &self, now)
                return response(reply, parameters, site: 0, route: nil)
            case .page(let site, let parts):
                return SitePages.answer(parts, request, site, &self, at: now)
            case .control, .nowhere: return SitePages.notFound
            }
        } catch {
            return error.response(destination.dialect)
        }
    }

    /// Answers a request to the REST API of a site.
    private mutating func rest(
        _ request: SiteRequest, _ destination: Destination, _ site: Int, _ route: String, _ now: Timestamp
    ) -> SiteResponse {
        var allowed: [String] = []
        var response: SiteResponse
        do throws(SiteError) {
            let visitor = try visitor(request, destination, site, route, now)
            allowed = methods(site, route, visitor)
            let parameters = try destination.parameters(request)
            let reply = try rest(site, destination.method, route, parameters, visitor, now)
            response = self.response(reply, parameters, site: site, route: route)
        } catch {
            response = error.response(.site)
        }
        if !allowed.isEmpty { response.headers.append(("Allow", allowed.joined(separator: ", "))) }
        return response
    }

    // MARK: Responses

    private func bytes(_ reply: Reply, _ parameters: SiteParameters) -> [UInt8] {
        switch reply.content {
        case .bytes(let bytes): return bytes
        case .node(let node):
            let fields = parameters.fields("_fields")
            return (fields.isEverything ? node : node.picking(fields)).bytes
        }
    }

    private func response(_ reply: Reply, _ parameters: SiteParameters, site: Int, route: String?) -> SiteResponse {
        var headers: [(name: String, value: String)] = []
        if let (total, pages) = reply.paging {
            headers += [("X-WP-Total", String(total)), ("X-WP-TotalPages", String(pages))]
            if let route, let links = links(parameters, pages, "\(stores[site].identity.address)/wp-json\(route)") {
                headers.append(("Link", links))
            }
        }
        return .json(bytes(reply, parameters), status: reply.status, headers: headers)
    }

    private func links(_ parameters: SiteParameters, _ pages: Int, _ address: String) -> String? {
        let number = parameters.text("page").flatMap { Int($0) } ?? 1
        let others = parameters.without("page", "rest_route").members.compactMap { member in
            member.value.plainText.map { "\(PercentEncoding.encode(member.name))=\(PercentEncoding.encode($0))" }
        }
        func link(_ page: Int, _ relation: String) -> String {
            "<\(address)?\((others + ["page=\(page)"]).joined(separator: "&"))>; rel=\"\(relation)\""
        }
        var links: [String] = []
        if number > 1, pages > 0 { links.append(link(min(number - 1, pages), "prev")) }
        if number < pages { links.append(link(number + 1, "next")) }
        return links.isEmpty ? nil : links.joined(separator: ", ")
    }

    private func tunnelled(_ reply: Reply, _ parameters: SiteParameters) -> SiteResponse {
        let bytes = bytes(reply, parameters)
        var body: [UInt8] = []
        body.reserveCapacity(bytes.count + 16)
        body += "{\"data\":".utf8
        body += bytes
        body.append(UInt8(ascii: "}"))
        return .json(body)
    }

    // MARK: Notifications

    private mutating func tellOwner(at now: Timestamp) {
        for index in stores.indices where !stores[index].events.isEmpty {
            for event in stores[index].events {
                guard let subject = stores[index].subject(of: event) else { continue }
                let site = stores[index].identity
                account.notifications.insert(
                    Notification(
                        id: account.nextNotification(), siteID: site.id, siteName: site.name,
                        siteAddress: site.address, subject: subject, created: now), at: 0)
            }
            stores[index].events = []
        }
    }
}
