import Determinism
import Money
import Networking
import Storage
import Testing

@testable import Yosemite

@Suite("Customers")
struct CustomerStoreTests {
    private static func person(
        _ id: Int64, account: Int64 = 0, _ name: String = "Ada Byron", email: String = "a@example.com"
    )
        -> String
    {
        """
        {"id":\(id),"user_id":\(account),"name":"\(name)","username":"ada","email":"\(email)","country":"GB","city":"Bath",\
        "state":"","postcode":"","date_registered_gmt":null,"date_last_active_gmt":"2026-02-0\(id)T00:00:00",\
        "orders_count":2,"total_spend":"12.345678901234567890","avg_order_value":6.17}
        """
    }

    private static func account(_ id: Int64, city: String = "London") -> String {
        """
        {"id":\(id),"email":"a@example.com","username":"ada","first_name":"Ada","last_name":"Byron","role":"customer",\
        "is_paying_customer":true,"date_created_gmt":"2026-01-01T00:00:00","date_modified_gmt":"2026-01-01T00:00:00",\
        "billing":{"first_name":"Ada","city":"\(city)"},"shipping":{"city":"\(city)"}}
        """
    }

    private func light(_ shop: TestShop, page: Int = 1) async throws(StoreError) -> Page<Customer> {
        try await shop.value {
            CustomerAction.synchronizeLightCustomersData(
                siteID: TestShop.siteID, page: PageRequest(number: page, size: 25), withEmailOnly: true,
                onCompletion: $0)
        }
    }

    private func retrieve(_ shop: TestShop, _ id: Int64) async throws(StoreError) -> Customer {
        try await shop.value {
            CustomerAction.retrieveCustomer(siteID: TestShop.siteID, customerID: id, onCompletion: $0)
        }
    }

    // MARK: Pages

    @Test("guests have no account number and are not merged into customer 0")
    func guests() async throws {
        let shop = try TestShop { _ in
            .list([Self.person(1), Self.person(2), Self.person(3, account: 40, "Ada")], total: 3, pages: 1)
        }
        let page = try await light(shop)
        #expect(page.elements.map(\.id) == [40])
        #expect(!page.hasNext)
        #expect(try shop.models(Customer.self).map(\.id) == [40])
        let call = try #require(shop.site.calls.first)
        #expect(call.route == "wc-analytics/customers")
        #expect(call.parameters["filter_empty"] == "email")
        #expect((call.parameters["orderby"], call.parameters["order"]) == ("name", "asc"))
    }

    @Test("the first page replaces the stored customers of its site in one transaction")
    func firstPage() async throws {
        let shop = try TestShop { call in
            call.page == 1
                ? .list([Self.person(1, account: 41)], total: 2, pages: 2) : .list([Self.person(2, account: 42)])
        }
        for site in [TestShop.siteID, 8] {
            let stored = try ValueMapper(Customer.self, context: DecodingContext(siteID: site))
                .map(response: Array(Self.account(40).utf8))
            try shop.save([stored])
        }
        // A short page, with headers that announce more.
        #expect(try await light(shop).hasNext)
        #expect(try shop.models(Customer.self).map { [$0.siteID, $0.id] } == [[TestShop.siteID, 41], [8, 40]])
        _ = try await light(shop, page: 2)
        #expect(try shop.models(Customer.self).filter { $0.siteID == TestShop.siteID }.map(\.id) == [41, 42])
        shop.site.become { _ in .refusal("internal", status: 500) }
        await #expect(throws: StoreError.self) { try await light(shop) }
        #expect(try shop.models(Customer.self).count == 3)
    }

    @Test("other stored fields of a customer stay when only the name is fetched again")
    func keepsAddresses() async throws {
        let shop = try TestShop { call in
            call.route.hasPrefix("wc-analytics")
                ? .list([Self.person(1, account: 40, "Ada Lovelace")]) : .json(Self.account(40))
        }
        _ = try await retrieve(shop, 40)
        _ = try await light(shop)
        let customer = try #require(try shop.models(Customer.self).first)
        #expect((customer.lastName, customer.billing?.city) == ("Lovelace", "London"))
    }

    @Test("one customer who cannot be read is reported, and the others are stored")
    func badElement() async throws {
        let shop = try TestShop { _ in .list([Self.person(1), #"{"id":"?"}"#, Self.person(2)]) }
        let page: Page<WCAnalyticsCustomer> = try await shop.value {
            CustomerAction.synchronizeAllCustomers(siteID: TestShop.siteID, onCompletion: $0)
        }
        #expect(page.list.rejected.map(\.path) == ["[1].id"])
        #expect(try shop.models(WCAnalyticsCustomer.self).map(\.id) == [1, 2])
        #expect(shop.site.calls.first?.parameters["orderby"] == "date_last_active")
        #expect(shop.site.calls.first?.parameters["order"] == "desc")
    }

    @Test("all pages are fetched, and customers missing at the site are deleted at the end")
    func everybody() async throws {
        let shop = try TestShop { call in
            .list([Self.person(Int64(call.page))], total: 3, pages: 3)
        }
        for site in [TestShop.siteID, 8] {
            let stored = try ValueMapper(WCAnalyticsCustomer.self, context: DecodingContext(siteID: site))
                .map(response: Array(Self.person(9).utf8))
            try shop.save([stored])
        }
        let report: SynchronizationReport = try await shop.value {
            CustomerAction.synchronizeEveryCustomer(siteID: TestShop.siteID, onCompletion: $0)
        }
        #expect((report.saved, report.deleted) == (3, 1))
        #expect(
            try shop.models(WCAnalyticsCustomer.self).map { [$0.siteID, $0.id] } == [
                [7, 1], [7, 2], [7, 3], [8, 9],
            ])
        let stored: [WCAnalyticsCustomer] = try await shop.value {
            CustomerAction.loadCustomers(siteID: TestShop.siteID, text: "BYRON", limit: 2, onCompletion: $0)
        }
        #expect(stored.map(\.id) == [3, 2])
        #expect(stored.first?.totalSpend?.description == "12.345678901234567890")
    }

    @Test("a list that changed while it was read deletes no customers")
    func movedList() async throws {
        let shop = try TestShop { _ in .list([Self.person(1)], total: 2, pages: 1) }
        let stored = try ValueMapper(WCAnalyticsCustomer.self, context: DecodingContext(siteID: TestShop.siteID))
            .map(response: Array(Self.person(9).utf8))
        try shop.save([stored])
        let report: SynchronizationReport = try await shop.value {
            CustomerAction.synchronizeEveryCustomer(siteID: TestShop.siteID, onCompletion: $0)
        }
        #expect(report.deleted == 0)
        #expect(try shop.models(WCAnalyticsCustomer.self).map(\.id) == [1, 9])
    }

    // MARK: Searching

    private func search(
        _ shop: TestShop, isFull: Bool, site: Int64 = TestShop.siteID,
        filter: WCAnalyticsCustomerRemote.SearchFilter = .all
    ) async throws(StoreError) -> Page<Customer> {
        try await shop.value {
            CustomerAction.searchCustomers(
                siteID: site, keyword: "ada", filter: filter, retrieveFullCustomersData: isFull, onCompletion: $0)
        }
    }

    @Test("a full search fetches each customer with an account, a few at a time, and stores the results")
    func fullSearch() async throws {
        let shop = try TestShop { call in
            if call.route.hasPrefix("wc-analytics") {
                return .list((1...9).map { Self.person($0, account: $0 == 1 ? 0 : $0 + 40) }, total: 20, pages: 2)
            }
            // One was deleted, one cannot be read.
            switch call.id {
            case 43: return .refusal("woocommerce_rest_invalid_id", status: 404)
            case 44: return .json(#"{"id":"?"}"#)
            default: return .json(Self.account(call.id ?? 0))
            }
        }
        let page = try await search(shop, isFull: true)
        #expect(page.elements.map(\.id) == [42, 43, 44, 45, 46, 47, 48, 49])
        #expect(page.hasNext)
        #expect(page.elements.map { $0.billing != nil } == [true, false, false, true, true, true, true, true])
        #expect(page.list.rejected.count == 1)
        #expect(!shop.site.calls.contains { $0.route == "wc/v3/customers/0" })
        let found: [Customer] = try await shop.value {
            CustomerAction.loadCustomerSearchResults(siteID: TestShop.siteID, keyword: "ada", onCompletion: $0)
        }
        #expect(found.map(\.id) == page.elements.map(\.id))
    }

    @Test("search results are stored by site, text, and kind, separately for each search")
    func results() async throws {
        let shop = try TestShop { call in
            .list([Self.person(call.parameters["searchby"] == "email" ? 2 : 1, account: 40)])
        }
        func search(_ site: Int64, _ filter: WCAnalyticsCustomerRemote.SearchFilter) async throws {
            let _: Page<WCAnalyticsCustomer> = try await shop.value {
                CustomerAction.searchWCAnalyticsCustomers(
                    siteID: site, keyword: "ada", filter: filter, onCompletion: $0)
            }
        }
        func found(_ site: Int64, _ filter: WCAnalyticsCustomerRemote.SearchFilter) async throws -> [[Int64]] {
            let customers: [WCAnalyticsCustomer] = try await shop.value {
                CustomerAction.loadWCAnalyticsCustomerSearchResults(
                    siteID: site, keyword: "ada", filter: filter, onCompletion: $0)
            }
            return customers.map { [$0.siteID, $0.id] }
        }
        try await search(TestShop.siteID, .all)
        try await search(TestShop.siteID, .email)
        try await search(8, .all)
        #expect(try await found(TestShop.siteID, .all) == [[7, 1]])
        #expect(try await found(TestShop.siteID, .email) == [[7, 2]])
        #expect(try await found(8, .all) == [[8, 1]])
    }

    @Test("a search during which the site goes away fails and stores nothing")
    func searchFails() async throws {
        let shop = try TestShop { call throws(NetworkError) in
            guard call.route.hasPrefix("wc-analytics") else { throw .unreachable }
            return .list([Self.person(1, account: 40)])
        }
        await #expect(throws: StoreError.network(.unreachable)) { try await search(shop, isFull: true) }
        #expect(try shop.models(Customer.self).isEmpty)
        #expect(try shop.models(SearchResult.self).isEmpty)
    }

    // MARK: One customer

    @Test("a customer is fetched by account and stored")
    func retrieved() async throws {
        let shop = try TestShop { _ in .json(Self.account(40)) }
        #expect(try await retrieve(shop, 40).shipping?.city == "London")
        #expect(shop.site.calls.map(\.route) == ["wc/v3/customers/40"])
        let stored: Customer = try await shop.value {
            CustomerAction.loadCustomer(siteID: TestShop.siteID, customerID: 40, onCompletion: $0)
        }
        #expect(stored.email == "a@example.com")
    }

    @Test("a customer that the site does not know is deleted, for this site only")
    func gone() async throws {
        let shop = try TestShop { _ in .refusal("woocommerce_rest_invalid_id", status: 404) }
        for site in [TestShop.siteID, 8] {
            let stored = try ValueMapper(Customer.self, context: DecodingContext(siteID: site))
                .map(response: Array(Self.account(40).utf8))
            try shop.save([stored])
        }
        await #expect(throws: StoreError.notFound(entity: "customer", id: "40")) { try await retrieve(shop, 40) }
        #expect(try shop.models(Customer.self).map(\.siteID) == [8])
        await #expect(throws: StoreError.notFound(entity: "customer", id: "40")) {
            let _: Customer = try await shop.value {
                CustomerAction.loadCustomer(siteID: TestShop.siteID, customerID: 40, onCompletion: $0)
            }
        }
    }

    @Test("deleting all customers deletes those of one site")
    func deleteAll() async throws {
        let shop = try TestShop { _ in .list([Self.person(1, account: 40)]) }
        for site in [TestShop.siteID, 8] {
            let _: Page<WCAnalyticsCustomer> = try await shop.value {
                CustomerAction.searchWCAnalyticsCustomers(siteID: site, keyword: "ada", onCompletion: $0)
            }
            _ = try await search(shop, isFull: false, site: site)
        }
        try await shop.value { CustomerAction.deleteAllCustomers(siteID: TestShop.siteID, onCompletion: $0) } as Void
        #expect(try shop.models(Customer.self).map(\.siteID) == [8])
        #expect(try shop.models(WCAnalyticsCustomer.self).map(\.siteID) == [8])
        #expect(Set(try shop.models(SearchResult.self).map(\.siteID)) == [8])
    }
}
