import Concurrency
import Networking
import TestDoubles
import Testing

@testable import Yosemite

/// The store of customers with commands that a test made: neither a site nor a network is needed.
@Suite struct CustomerCommandTests {
    /// Commands with results that are set, and a list of what was saved.
    private final class Commands: CustomerCommandFactory {
        let saved = Log<CustomerChanges>()
        let everyone: [WCAnalyticsCustomer]
        let accounts: TestCommand<ElementList<Customer>, StoreError>
        let account: Result<Customer, StoreError>

        init(
            everyone: [WCAnalyticsCustomer] = [], accounts: [Customer] = [],
            account: Result<Customer, StoreError> = .failure(.canceled)
        ) {
            (self.everyone, self.account) = (everyone, account)
            self.accounts = TestCommand(.success(ElementList(elements: accounts)))
        }

        func fetchCustomers(
            siteID: Int64, page: PageRequest, orderBy: WCAnalyticsCustomerRemote.OrderBy,
            direction: WCAnalyticsCustomerRemote.Direction, withEmailOnly: Bool
        ) -> any Command<Page<WCAnalyticsCustomer>, StoreError> {
            KnownCommand(
                Page(list: ElementList(elements: everyone), total: nil, totalPages: nil, hasNext: false))
        }

        func searchCustomers(
            _ search: CustomerSearch
        ) -> any Command<Page<WCAnalyticsCustomer>, StoreError> {
            fetchCustomers(
                siteID: search.siteID, page: search.page, orderBy: .name, direction: .ascending, withEmailOnly: false)
        }

        func fetchAccounts(siteID: Int64, _ ids: [Int64]) -> any Command<ElementList<Customer>, StoreError> {
            accounts
        }

        func fetchAccount(siteID: Int64, customerID: Int64) -> any Command<Customer, StoreError> {
            ClosureCommand { [account] () throws(StoreError) in try account.get() }
        }

        func save(_ changes: CustomerChanges) -> any Command<Void, StoreError> {
            ClosureCommand { [saved] () throws(StoreError) in saved.add(changes) }
        }
    }

    private let shop: TestShop

    init() throws { shop = try TestShop { _ in .json("no request is expected") } }

    private func value<Value: Sendable>(
        _ commands: Commands,
        _ makeAction: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> any Action
    ) async throws -> Value {
        let dispatcher = Dispatcher(time: shop.time)
        _ = try CustomerStore(shop.context, commands: commands).registerSupportedActions(in: dispatcher)
        let value: Value = try await dispatcher.perform { makeAction($0) }
        #expect(shop.site.calls.isEmpty)
        return value
    }

    private func customer(_ id: Int64, _ email: String) -> Customer {
        Customer(
            siteID: TestShop.siteID, id: id, email: email, username: nil, firstName: nil, lastName: nil, role: nil,
            isPayingCustomer: false, dateCreatedGMT: nil, dateModifiedGMT: nil, billing: nil, shipping: nil)
    }

    private func retrieve(_ commands: Commands) async throws -> Customer {
        try await value(commands) {
            CustomerAction.retrieveCustomer(siteID: TestShop.siteID, customerID: 3, onCompletion: $0)
        }
    }

    @Test func `a customer is fetched and saved`() async throws {
        let anna = customer(3, "anna@example.com")
        let commands = Commands(account: .success(anna))
        #expect(try await retrieve(commands) == anna)
        #expect(commands.saved.entries == [.account(anna)])
    }

    @Test func `a customer that the site does not have is deleted, and only then`() async throws {
        let missing = StoreError.network(.service(ServiceError(status: 404, code: "woocommerce_rest_invalid_id")))
        let gone = Commands(account: .failure(missing))
        let error = await #expect(throws: ActionFailure<StoreError>.self) { try await retrieve(gone) }
        #expect(error == .failed(.notFound(entity: "customer", id: "3")))
        #expect(gone.saved.entries == [.accountGone(siteID: TestShop.siteID, customerID: 3)])
        let lost = Commands(account: .failure(.network(.canceled(wasSent: true))))
        await #expect(throws: ActionFailure<StoreError>.self) { try await retrieve(lost) }
        #expect(lost.saved.entries.isEmpty)
    }

    @Test func `a search fetches the accounts that it found only when they are wanted`() async throws {
        func search(_ commands: Commands, isFull: Bool) async throws {
            let page: Page<Customer> = try await value(commands) {
                CustomerAction.searchCustomers(
                    siteID: TestShop.siteID, page: PageRequest(), keyword: "anna", filter: .name,
                    retrieveFullCustomersData: isFull, onCompletion: $0)
            }
            #expect(page.elements.isEmpty)
        }
        let (light, full) = (Commands(), Commands())
        try await search(light, isFull: false)
        #expect(light.accounts.executions == 0)
        try await search(full, isFull: true)
        #expect(full.accounts.executions == 1)
        #expect(full.saved.entries.count == 1)
    }
}
