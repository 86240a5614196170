import Determinism
import Money
import Networking
import StoreSite
import Testing
import Text

/// Every call that our remotes make, over real HTTP, by both ways: nothing in any answer is rejected.
@Suite(.timeLimit(.minutes(10)))
struct RemoteEndpointTests {
    @Test(arguments: Way.allCases)
    func `orders are listed, fetched, created, changed, and deleted`(_ way: Way) async throws {
        try await ServedSite.with { served in
            let remote = OrdersRemote(try way.client(served))
            let site = served.siteID
            var seen: Set<Int64> = []
            var page = PageRequest(size: 15)
            while true {
                let answer = try await remote.loadOrders(siteID: site, page: page)
                #expect(answer.list.rejected.isEmpty)
                seen.formUnion(answer.elements.map(\.id))
                guard answer.hasNext else { break }
                page = page.next
            }
            #expect(seen.count == 40)
            let made = try await remote.createOrder(
                siteID: site,
                OrderChanges(
                    status: .pending, billing: Address(firstName: "Ann", lastName: "Lee", email: "ann@example.com"),
                    fees: [.init(name: "Amount", total: try #require(ExactDecimal("12.50")), isTaxed: false)],
                    metaData: ["_wc_order_attribution_source_type": "mobile_app"]))
            #expect(made.total.description == "12.50")
            #expect(made.isPaymentDue)
            #expect(made.attribution?.sourceType == "mobile_app")
            let read = try await remote.loadOrder(siteID: site, orderID: made.id)
            #expect(read == made)
            served.time.advance(by: .seconds(10))
            let changed = try await remote.updateOrder(
                siteID: site, orderID: made.id, OrderChanges(status: .completed, customerNote: "ring twice"))
            #expect(changed.status == .completed)
            let modified = try await remote.loadDateModified(siteID: site, orderID: made.id)
            #expect(modified == VirtualTimeSource.standardStart.advanced(by: .seconds(10)))
            let found = try await remote.searchOrders(siteID: site, keyword: "ann@example")
            #expect(found.elements.map(\.id) == [made.id])
            #expect(try await remote.deleteOrder(siteID: site, orderID: made.id, force: true).id == made.id)
            await #expect(throws: NetworkError.self) { try await remote.loadOrder(siteID: site, orderID: made.id) }
        }
    }

    @Test(arguments: Way.allCases)
    func `notes, statuses, and receipts`(_ way: Way) async throws {
        try await ServedSite.with { served in
            let client = try way.client(served)
            let site = served.siteID
            let order = try #require(try await OrdersRemote(client).loadOrders(siteID: site).elements.first)
            let note = try await OrdersRemote(client).addOrderNote(
                siteID: site, orderID: order.id, isCustomerNote: true, note: "paid \u{1F600} at the till")
            #expect(note.author == "shopkeeper")
            let notes = try await OrdersRemote(client).loadOrderNotes(siteID: site, orderID: order.id)
            #expect(notes.rejected.isEmpty)
            #expect(notes.elements.first == note)
            let statuses = try await ReportRemote(client).loadOrderStatuses(siteID: site)
            #expect(statuses.rejected.isEmpty)
            #expect(statuses.elements.reduce(0) { $0 + $1.total } == 40)
            let receipt = try await ReceiptRemote(client).retrieveReceipt(siteID: site, orderID: order.id)
            let page = try await served.network.response(for: HTTPRequest(address: WebAddress(receipt.receiptURL)))
            #expect(String(decoding: page.body, as: UTF8.self).contains("Order #\(order.id)"))
        }
    }

    @Test(arguments: Way.allCases)
    func `customers, taxes, settings, and shipments`(_ way: Way) async throws {
        try await ServedSite.with { served in
            let client = try way.client(served)
            let site = served.siteID
            let customers = try await WCAnalyticsCustomerRemote(client).loadCustomers(siteID: site, withEmailOnly: true)
            #expect(customers.list.rejected.isEmpty)
            let known = try #require(customers.elements.first { $0.hasAccount })
            let customer = try await CustomerRemote(client).loadCustomer(siteID: site, customerID: known.userID ?? 0)
            #expect(customer.email == known.email)
            let found = try await WCAnalyticsCustomerRemote(client).searchCustomers(
                siteID: site, keyword: customer.email, filter: .email)
            #expect(found.elements.map(\.id) == [known.id])
            #expect(try await TaxRemote(client).loadTaxClasses(siteID: site).elements.count == 3)
            let rates = try await TaxRemote(client).loadTaxRates(siteID: site)
            #expect(rates.list.rejected.isEmpty && rates.elements.count == 9)
            let rate = try await TaxRemote(client).loadTaxRate(siteID: site, taxRateID: 2)
            #expect(rate.rate.description == "4.8750")
            let settings = SiteSettingsRemote(client)
            for group in SiteSettingGroup.allCases {
                let list = try await settings.loadSettings(siteID: site, group: group)
                #expect(list.rejected.isEmpty && !list.elements.isEmpty)
            }
            #expect(try await settings.loadTaxBasedOn(siteID: site) == .customerShippingAddress)
            let coupons = try await settings.updateSetting(
                siteID: site, group: .general, settingID: "woocommerce_enable_coupons", value: "no")
            #expect(coupons.text == "no")
            let order = try #require(try await OrdersRemote(client).loadOrders(siteID: site).elements.first).id
            let shipments = ShipmentsRemote(client)
            let carriers = try await shipments.loadProviders(siteID: site, orderID: order)
            #expect(carriers.contains { $0.name == "United States" && $0.providers.contains { $0.name == "UPS" } })
            let day = CivilDate(year: 2026, month: 1, day: 2)
            let tracking = try await shipments.createTracking(
                siteID: site, orderID: order, provider: "UPS", trackingNumber: "1Z", dateShipped: day)
            _ = try await shipments.createCustomTracking(
                siteID: site, orderID: order, provider: "Bike", trackingNumber: "7",
                trackingLink: "https://bike.example/7", dateShipped: day)
            #expect(try await shipments.loadTrackings(siteID: site, orderID: order).elements.count == 2)
            _ = try await shipments.deleteTracking(siteID: site, orderID: order, trackingID: tracking.trackingID)
            #expect(try await shipments.loadTrackings(siteID: site, orderID: order).elements.count == 1)
        }
    }

    @Test(arguments: Way.allCases)
    func `every report`(_ way: Way) async throws {
        try await ServedSite.with(orders: 200) { served in
            let remote = OrderStatsRemoteV4(try way.client(served))
            let site = served.siteID
            for interval in OrderStatsRemoteV4.Interval.allCases {
                let range = OrderStatsRemoteV4.Range(
                    interval: interval, earliest: CivilDate(year: 2025, month: 6, day: 1),
                    latest: CivilDate(year: 2026, month: 1, day: 2, hour: 7), quantity: 100)
                let stats = try await remote.loadOrderStats(siteID: site, range)
                #expect(stats.totals.ordersCount > 0 && !stats.intervals.isEmpty)
                _ = try await remote.loadProductBundleStats(siteID: site, range)
                _ = try await remote.loadUsedGiftCardStats(siteID: site, range)
            }
            let (first, last) = (CivilDate(year: 2024, month: 6, day: 1), CivilDate(year: 2026, month: 1, day: 2))
            let top = try await remote.loadTopProducts(siteID: site, earliest: first, latest: last, quantity: 5)
            #expect(top.rejected.isEmpty && top.elements.count == 5)
            let bundles = try await remote.loadTopProductBundles(
                siteID: site, earliest: first, latest: last, quantity: 5)
            #expect(bundles.rejected.isEmpty && bundles.elements.count == 1)
        }
    }

    @Test(arguments: Way.allCases)
    func `the routes of both gateways that a till needs`(_ way: Way) async throws {
        try await ServedSite.with { served in
            let client = try way.client(served)
            let site = served.siteID
            for gateway in [WCPayRemote(client), StripeRemote(client)] as [any CardPresentRemote] {
                #expect(try await gateway.loadAccount(siteID: site)?.status == .complete)
                #expect(try await !gateway.loadConnectionToken(siteID: site).secret.isEmpty)
                #expect(try await gateway.loadDefaultReaderLocation(siteID: site).address?.city == "New York")
                let order = try await OrdersRemote(client).createOrder(
                    siteID: site,
                    OrderChanges(fees: [.init(name: "A", total: ExactDecimal(coefficient: 5), isTaxed: true)]))
                let intent = "pi_\(order.id)"
                for _ in 0..<2 {
                    let captured = try await gateway.captureOrderPayment(
                        siteID: site, orderID: order.id, paymentIntentID: intent, idempotencyKey: "k")
                    #expect(captured.status == .succeeded)
                }
                let paid = try await OrdersRemote(client).loadOrder(siteID: site, orderID: order.id)
                #expect(paid.status == .completed && paid.datePaidGMT != nil)
                #expect(paid.chargeID == served.site.ledger.last?.chargeID)
            }
            #expect(served.site.ledger.map(\.captureRequests) == [2, 2])
            let entry = try #require(served.site.ledger.first)
            let charge = try await WCPayRemote(client).fetchCharge(siteID: site, chargeID: entry.chargeID)
            #expect(charge.amount == entry.amount && charge.captured)
            #expect(charge.paymentMethodDetails.cardPresent?.receipt?.dedicatedFileName == "A0000000031010")
        }
    }

    @Test func `the account, its sites, notifications, devices and comments`() async throws {
        try await ServedSite.with { served in
            let client = try served.dotcom()
            let (account, site) = (AccountRemote(client), served.siteID)
            #expect(try await account.loadAccount().username == "shopkeeper")
            #expect(try await account.updateAccountSettings(userID: 7, tracksOptOut: true).tracksOptOut)
            #expect(try await account.loadAccountSettings(userID: 7).tracksOptOut)
            let sites = try await account.loadSites()
            #expect(sites.rejected.isEmpty)
            #expect(sites.elements.map(\.options.woocommerceIsActive) == [true, false])
            #expect(try await account.loadSitePlan(siteID: site).plan.productSlug == "jetpack_free")
            #expect(try await account.checkIfWooCommerceIsActive(siteID: site))
            #expect(try await !account.checkIfWooCommerceIsActive(siteID: site + 1))
            #expect(try await account.loadWordPressSiteSettings(siteID: site).title == "Corner Coffee & Supply")
            let notifications = NotificationsRemote(client)
            let hashes = try await notifications.loadHashes()
            let notes = try await notifications.loadNotes()
            #expect(hashes.rejected.isEmpty && notes.rejected.isEmpty && !notes.elements.isEmpty)
            #expect(hashes.elements.map(\.noteHash) == notes.elements.map(\.noteHash))
            let first = try #require(notes.elements.first { !$0.read })
            try await notifications.updateReadStatus([first.id], read: true)
            #expect(try await notifications.loadNotes([first.id]).elements.map(\.read) == [true])
            try await notifications.updateLastSeen("2026-01-02T12:00:00+00:00")
            let devices = DevicesRemote(client)
            let device = try await devices.registerDevice(
                .init(token: "t", family: "linux", name: "till", model: "pc", osVersion: "1"), applicationID: "a",
                applicationVersion: "1", defaultStoreID: site)
            try await devices.unregisterDevice(device.id)
            let review = try #require(
                notes.elements.first { $0.type == "comment" }?.meta?["ids"]?["comment"]?.textValue.flatMap { Int64($0) }
            )
            let comments = CommentRemote(client)
            #expect(try await comments.moderate(siteID: site, commentID: review, status: .spam) == .spam)
        }
    }

    @Test func `visits and top earners`() async throws {
        try await ServedSite.with(orders: 200) { served in
            let remote = SiteStatsRemote(try served.dotcom())
            let day = CivilDate(year: 2026, month: 1, day: 2)
            for unit in StatsGranularity.allCases {
                let visits = try await remote.loadVisits(
                    siteID: served.siteID, unit: unit, latest: day, quantity: 5)
                #expect(visits.items.count == 5)
                let summary = try await remote.loadSummary(siteID: served.siteID, period: unit, latest: day)
                #expect(summary.visitors == visits.items.last?.visitors)
            }
            let top = try await remote.loadTopEarners(siteID: served.siteID, unit: .year, latest: "2025", limit: 3)
            #expect(top.data.count == 3)
            let orders = try await remote.loadOrderStats(
                siteID: served.siteID, unit: .month, latest: "2026-01", quantity: 14)
            #expect(orders.items.count == 14)
            #expect(orders.totalOrders == orders.items.reduce(0) { $0 + $1.orders } && orders.totalOrders > 0)
        }
    }

    @Test(arguments: Way.allCases)
    func `the site lists its features`(_ way: Way) async throws {
        try await ServedSite.with { served in
            let api = try await SiteAPIRemote(way.client(served)).loadAPI(siteID: served.siteID)
            #expect(api.highestWooVersion == "wc/v3")
            #expect(api.offersApplicationPasswords)
        }
    }
}
