import Concurrency
import Networking
import Storage

/// Makes the commands with which ``CustomerStore`` reads the customers of a site and keeps them.
///
/// Each command does one thing, and the store composes them. It knows only the types of their values and errors, so
/// that a test can replace each command.
protocol CustomerCommandFactory: Sendable {
    /// Fetches a page of all customers, guests included.
    func fetchCustomers(
        siteID: Int64, page: PageRequest, orderBy: WCAnalyticsCustomerRemote.OrderBy,
        direction: WCAnalyticsCustomerRemote.Direction, withEmailOnly: Bool
    ) -> any Command<Page<WCAnalyticsCustomer>, StoreError>
    /// Searches all customers, guests included.
    func searchCustomers(
        _ search: CustomerSearch
    ) -> any Command<Page<WCAnalyticsCustomer>, StoreError>
    /// Fetches several customers with accounts. Those that the site doesn't have are left out.
    func fetchAccounts(siteID: Int64, _ ids: [Int64]) -> any Command<ElementList<Customer>, StoreError>
    func fetchAccount(siteID: Int64, customerID: Int64) -> any Command<Customer, StoreError>
    /// Saves what changed in one transaction.
    func save(_ changes: CustomerChanges) -> any Command<Void, StoreError>
}

/// A search for customers.
struct CustomerSearch: Hashable, Sendable {
    let siteID: Int64
    let keyword: String
    let filter: WCAnalyticsCustomerRemote.SearchFilter
    let page: PageRequest

    /// The key of the search in the stored results.
    var storedKeyword: String { CustomerRepository.keyword(keyword, filter) }
}

/// The customers to save and to delete after a read.
enum CustomerChanges: Hashable, Sendable {
    /// One customer with an account.
    case account(Customer)
    /// The site no longer has the customer.
    case accountGone(siteID: Int64, customerID: Int64)
    /// A page of customers of whom little is known; the first page replaces all.
    case light([Customer], siteID: Int64, isFirstPage: Bool)
    /// A page of all customers; the first page replaces all.
    case everyone([WCAnalyticsCustomer], siteID: Int64, isFirstPage: Bool)
    /// The customers that a search found.
    case found([WCAnalyticsCustomer], CustomerSearch)
    /// The accounts that a search found, those in `full` with all fields.
    case foundAccounts(light: [Customer], full: [Customer], CustomerSearch)

    func save(in storage: any StorageType) throws {
        switch self {
        case .account(let customer): try storage.save(customer)
        case .accountGone(let siteID, let customerID):
            try CustomerRepository.deleteAccount(siteID: siteID, customerID: customerID, in: storage)
        case .light(let customers, let siteID, let isFirstPage):
            try CustomerRepository.saveLight(customers, siteID: siteID, replacingAll: isFirstPage, in: storage)
        case .everyone(let customers, let siteID, let isFirstPage):
            if isFirstPage { _ = try storage.delete(WCAnalyticsCustomer.self, matching: { $0.siteID == siteID }) }
            try storage.save(customers)
        case .found(let customers, let search):
            try storage.save(customers)
            try SearchResult.save(
                customers.map(\.id), of: CustomerRepository.everyone, keyword: search.storedKeyword,
                siteID: search.siteID, page: search.page, in: storage)
        case .foundAccounts(let light, let full, let search):
            let known = Set(full.map(\.id))
            try CustomerRepository.saveLight(
                light.filter { !known.contains($0.id) }, siteID: search.siteID, in: storage)
            try storage.save(full)
            try SearchResult.save(
                light.map(\.id), of: CustomerRepository.accounts, keyword: search.storedKeyword,
                siteID: search.siteID, page: search.page, in: storage)
        }
    }
}

/// The commands of a site's session.
struct SiteCustomerCommands: CustomerCommandFactory {
    private let storage: any StorageManagerType
    private let accounts: CustomerRemote
    private let analytics: WCAnalyticsCustomerRemote

    init(_ context: StoreContext) {
        storage = context.storage
        (accounts, analytics) = (CustomerRemote(context.sender), WCAnalyticsCustomerRemote(context.sender))
    }

    func fetchCustomers(
        siteID: Int64, page: PageRequest, orderBy: WCAnalyticsCustomerRemote.OrderBy,
        direction: WCAnalyticsCustomerRemote.Direction, withEmailOnly: Bool
    ) -> any Command<Page<WCAnalyticsCustomer>, StoreError> {
        HTTPCommand { [analytics] () async throws(NetworkError) in
            try await analytics.loadCustomers(
                siteID: siteID, page: page, orderBy: orderBy, direction: direction, withEmailOnly: withEmailOnly)
        }
    }

    func searchCustomers(
        _ search: CustomerSearch
    ) -> any Command<Page<WCAnalyticsCustomer>, StoreError> {
        HTTPCommand { [analytics] () async throws(NetworkError) in
            try await analytics.searchCustomers(
                siteID: search.siteID, keyword: search.keyword, filter: search.filter, page: search.page)
        }
    }

    func fetchAccounts(siteID: Int64, _ ids: [Int64]) -> any Command<ElementList<Customer>, StoreError> {
        ClosureCommand { [accounts] () async throws(StoreError) in
            try await accounts.customers(siteID: siteID, ids)
        }
    }

    func fetchAccount(siteID: Int64, customerID: Int64) -> any Command<Customer, StoreError> {
        HTTPCommand { [accounts] () async throws(NetworkError) in
            try await accounts.loadCustomer(siteID: siteID, customerID: customerID)
        }
    }

    func save(_ changes: CustomerChanges) -> any Command<Void, StoreError> {
        StoreCommand(in: storage) { try changes.save(in: $0) }
    }
}
