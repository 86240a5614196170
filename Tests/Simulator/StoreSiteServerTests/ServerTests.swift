import Determinism
import HTTPListening
import Money
import Networking
import StoreSite
import StoreSiteServer
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ServerTests {
    private static let error: @Sendable (any Error) -> ServiceError? = { error in
        guard case .service(let service)? = error as? NetworkError else { return nil }
        return service
    }

    @Test func `wrong credentials have specific errors`() async throws {
        try await ServedSite.with { served in
            let site = served.siteID
            let wrongPassword = try await #require(throws: NetworkError.self) {
                try await OrdersRemote(served.direct("wrong")).loadOrders(siteID: site)
            }
            #expect(Self.error(wrongPassword)?.code == "incorrect_password")
            let wrongToken = try await #require(throws: NetworkError.self) {
                try await OrdersRemote(served.dotcom("wrong")).loadOrders(siteID: site)
            }
            #expect(Self.error(wrongToken)?.kind == .invalidToken)
            let noShop = try await #require(throws: NetworkError.self) {
                try await OrdersRemote(served.dotcom()).loadOrders(siteID: site + 1)
            }
            #expect(Self.error(noShop)?.kind == .noRestRoute)
        }
    }

    @Test func `a password is created with cookies, and renewed after a revocation`() async throws {
        try await ServedSite.with { served in
            let site = served.siteID
            let issuer = ApplicationPasswordIssuer(sender: try served.browser(), siteID: site)
            let password = try await issuer.makePassword()
            let client = SiteClient(
                network: served.network, credentials: .applicationPassword(password, site: try served.address),
                issuer: issuer, retries: .never, time: served.time, random: SeededRandomSource(seed: 1))
            #expect(try await OrdersRemote(client).loadOrders(siteID: site).elements.count == 25)
            // Another till of the same name gets a password of its own.
            let other = try await ApplicationPasswordIssuer(sender: served.browser(), siteID: site).makePassword()
            #expect(other.uuid != password.uuid)
            #expect(try await OrdersRemote(client).loadOrders(siteID: site).elements.count == 25)
            try await ApplicationPasswordRemote(client).revoke(uuid: #require(password.uuid))
            #expect(try await OrdersRemote(client).loadOrders(siteID: site).elements.count == 25)
            await #expect(throws: NetworkError.self) {
                try await ApplicationPasswordIssuer(sender: served.browser("wrong"), siteID: site).makePassword()
            }
        }
    }

    @Test func `a lost response to a payment results in one charge`() async throws {
        try await ServedSite.with { served in
            let remote = OrdersRemote(try served.direct())
            let order = try await remote.createOrder(
                siteID: served.siteID,
                OrderChanges(fees: [.init(name: "A", total: ExactDecimal(coefficient: 9), isTaxed: false)]))
            served.site.add(try FaultRule("POST /wc/v3/payments/orders/*/capture_terminal_payment first:2 lost-answer"))
            let retrying = WCPayRemote(try served.direct(retries: RetryPolicy()))
            let captured = try await retrying.captureOrderPayment(
                siteID: served.siteID, orderID: order.id, paymentIntentID: "pi_1", idempotencyKey: "k")
            #expect(captured.status == .succeeded)
            #expect(served.site.ledger.map(\.captureRequests) == [3])
            #expect(served.site.requests.suffix(3).map(\.status) == [0, 0, 200])
        }
    }

    private func failure(_ fault: String) async throws -> NetworkError {
        var found: NetworkError?
        try await ServedSite.with(orders: 5) { served in
            served.site.add(try FaultRule("GET /wc/v3/orders \(fault)"))
            let remote = OrdersRemote(try served.direct())
            do throws(NetworkError) {
                _ = try await remote.loadOrders(siteID: served.siteID)
            } catch { found = error }
        }
        return try #require(found)
    }

    @Test(arguments: ["cut", "lost-answer", "truncate:200", "truncate:0"])
    func `a connection that ends early is an error`(_ fault: String) async throws {
        guard case .connectionLost = try await failure(fault) else {
            Issue.record("not lost")
            return
        }
    }

    @Test(arguments: ["html", "charset"])
    func `invalid JSON or UTF-8 is unreadable`(_ fault: String) async throws {
        guard case .unreadable = try await failure(fault) else {
            Issue.record("readable")
            return
        }
    }

    @Test(arguments: [("401", 401), ("403", 403), ("429:3", 429), ("500", 500), ("503:1", 503), ("failed-answer", 500)])
    func `a rejection has its status code`(_ fault: String, _ status: Int) async throws {
        let error = try await failure(fault)
        #expect(Self.error(error)?.status == status)
        if status == 429 { #expect(Self.error(error)?.retryAfter == .seconds(3)) }
    }

    @Test func `an endless body and another host are rejected`() async throws {
        let error = try await failure("huge:40000000")
        #expect(error == .responseTooLarge(limit: HTTPRequest.defaultSizeLimit))
        guard case .redirectRefused = try await failure("redirect:http://127.0.0.2:1/") else {
            Issue.record("followed")
            return
        }
    }

    @Test func `wrong types result in rejected elements only`() async throws {
        try await ServedSite.with(orders: 5) { served in
            served.site.add(try FaultRule("GET /wc/v3/orders wrong-types"))
            let page = try await OrdersRemote(served.direct()).loadOrders(siteID: served.siteID)
            #expect(page.elements.isEmpty && page.list.rejected.count == 5)
        }
    }

    @Test func `latency and slowness use the given clock`() async throws {
        try await ServedSite.with(orders: 5) { served in
            served.site.add(try FaultRule("GET /wc/v3/orders #1 latency:20s"))
            served.site.add(try FaultRule("GET /wc/v3/orders #2 slow:20000"))
            for _ in 0..<2 {
                let before = served.time.now()
                let page = try await OrdersRemote(served.direct()).loadOrders(siteID: served.siteID)
                #expect(page.elements.count == 5)
                #expect(served.time.now() > before)
            }
        }
    }

    @Test func `simultaneous requests change the store one after another`() async throws {
        try await ServedSite.with(orders: 5) { served in
            let remote = OrdersRemote(try served.direct())
            let site = served.siteID
            let order = try #require(try await remote.loadOrders(siteID: site).elements.first).id
            let before = try await remote.loadOrderNotes(siteID: site, orderID: order).elements.count
            let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        try await remote.addOrderNote(
                            siteID: site, orderID: order, isCustomerNote: false, note: "note \(number)"
                        ).id
                    }
                }
                return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
            }
            #expect(ids.count == 60)
            #expect(try await remote.loadOrderNotes(siteID: site, orderID: order).elements.count == before + 60)
        }
    }

    @Test func `of two simultaneous captures of an order one succeeds`() async throws {
        try await ServedSite.with(orders: 5) { served in
            let site = served.siteID
            let order = try await OrdersRemote(served.direct()).createOrder(
                siteID: site,
                OrderChanges(fees: [.init(name: "A", total: ExactDecimal(coefficient: 9), isTaxed: false)]))
            let remote = WCPayRemote(try served.direct())
            let successes = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        do {
                            _ = try await remote.captureOrderPayment(
                                siteID: site, orderID: order.id, paymentIntentID: "pi_\(number)", idempotencyKey: "k")
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(successes == 1)
            #expect(served.site.ledger.count == 1)
        }
    }

    @Test func `a port in use is reported`() async throws {
        try await ServedSite.with(orders: 0) { served in
            let error = try await #require(throws: HTTPListenerError.self) {
                _ = try await StoreSiteServer.start(served.site, port: served.server.port, time: served.time)
            }
            #expect(
                error.description == "cannot listen on 127.0.0.1:\(served.server.port): another program uses the port")
        }
    }

    @Test func `the date of a response is that of the server's clock`() async throws {
        try await ServedSite.with { served in
            let request = HTTPRequest(address: try WebAddress(served.server.address + "/wp-json/"))
            #expect(try await served.network.response(for: request).headers["Date"] == "Fri, 02 Jan 2026 12:00:00 GMT")
            served.time.advance(by: .seconds(86_400))
            #expect(try await served.network.response(for: request).headers["Date"] == "Sat, 03 Jan 2026 12:00:00 GMT")
        }
    }

    @Test func `after the end there are no responses`() async throws {
        let time = VirtualTimeSource()
        let site = StoreSite(
            StoreSiteConfiguration(orders: 0, password: SitePassword("p"), token: SitePassword("t")), time: time,
            random: SeededRandomSource(seed: 1))
        let server = try await StoreSiteServer.start(site, time: time)
        let network = try CurlNetwork()
        let request = HTTPRequest(address: try WebAddress(server.address + "/wp-json/"))
        #expect(try await network.response(for: request).status == 200)
        await server.stop()
        await #expect(throws: NetworkError.self) { try await network.response(for: request) }
    }
}
