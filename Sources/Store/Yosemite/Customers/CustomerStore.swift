import Concurrency
public import Networking
import Storage

/// The actions of ``CustomerStore``. Every completion is called exactly once.
///
/// A ``Customer`` has an account at the store; a ``WCAnalyticsCustomer`` is anyone who has bought something.
public enum CustomerAction: Action {
    /// Fetches a page of customers with accounts, only names and e-mail addresses. The first page replaces the stored
    /// customers of the site.
    case synchronizeLightCustomersData(
        siteID: Int64, page: PageRequest = PageRequest(), orderBy: WCAnalyticsCustomerRemote.OrderBy = .name,
        direction: WCAnalyticsCustomerRemote.Direction = .ascending, withEmailOnly: Bool = false,
        onCompletion: Completion<Page<Customer>>)
    /// Fetches a page of all customers, most recently active first. The first page replaces the stored customers of the
    /// site.
    case synchronizeAllCustomers(
        siteID: Int64, page: PageRequest = PageRequest(), onCompletion: Completion<Page<WCAnalyticsCustomer>>)
    /// Fetches all pages of all customers, 100 each, saved page by page, as one command. At the end, stored customers
    /// that the site no longer has are deleted.
    case synchronizeEveryCustomer(
        siteID: Int64, pageLimit: Int? = nil,
        onProgress: @Sendable (SynchronizationProgress) -> Void = { _ in },
        onCompletion: Completion<SynchronizationReport>)
    /// Cancels the synchronizations of a site's customers; they complete with ``StoreError/canceled``.
    case cancelSynchronization(siteID: Int64)
    /// Searches the customers with accounts of a site. The customers and the search result are stored.
    ///
    /// - retrieveFullCustomersData: whether to fetch each of them, for their addresses.
    case searchCustomers(
        siteID: Int64, page: PageRequest = PageRequest(), keyword: String,
        filter: WCAnalyticsCustomerRemote.SearchFilter = .all, retrieveFullCustomersData: Bool = false,
        onCompletion: Completion<Page<Customer>>)
    /// Searches all customers of a site. The customers and the search result are stored.
    case searchWCAnalyticsCustomers(
        siteID: Int64, page: PageRequest = PageRequest(), keyword: String,
        filter: WCAnalyticsCustomerRemote.SearchFilter = .all, onCompletion: Completion<Page<WCAnalyticsCustomer>>)
    /// Fetches and stores a customer with an account. A customer that the site doesn't have is deleted here.
    case retrieveCustomer(siteID: Int64, customerID: Int64, onCompletion: Completion<Customer>)
    /// Loads a stored customer with an account.
    case loadCustomer(siteID: Int64, customerID: Int64, onCompletion: Completion<Customer>)
    /// Loads stored customers, most recently active first. `text` is part of a name, user name or e-mail address.
    case loadCustomers(
        siteID: Int64, text: String? = nil, limit: Int? = nil, onCompletion: Completion<[WCAnalyticsCustomer]>)
    /// Loads the stored customers with accounts of the last search, in its order.
    case loadCustomerSearchResults(
        siteID: Int64, keyword: String, filter: WCAnalyticsCustomerRemote.SearchFilter = .all,
        onCompletion: Completion<[Customer]>)
    /// Loads the stored customers of the last search of all customers, in its order.
    case loadWCAnalyticsCustomerSearchResults(
        siteID: Int64, keyword: String, filter: WCAnalyticsCustomerRemote.SearchFilter = .all,
        onCompletion: Completion<[WCAnalyticsCustomer]>)
    /// Deletes the stored customers of a site.
    case deleteAllCustomers(siteID: Int64, onCompletion: Completion<Void>)

    public var redactedDescription: [String: String] {
        switch self {
        case .synchronizeLightCustomersData(let siteID, let page, _, _, _, _),
            .synchronizeAllCustomers(let siteID, let page, _), .searchCustomers(let siteID, let page, _, _, _, _),
            .searchWCAnalyticsCustomers(let siteID, let page, _, _, _):
            ["site": String(siteID), "page": String(page.number)]
        case .retrieveCustomer(let siteID, let customerID, _), .loadCustomer(let siteID, let customerID, _):
            ["site": String(siteID), "customer": String(customerID)]
        case .synchronizeEveryCustomer(let siteID, _, _, _), .cancelSynchronization(let siteID),
            .loadCustomers(let siteID, _, _, _), .loadCustomerSearchResults(let siteID, _, _, _),
            .loadWCAnalyticsCustomerSearchResults(let siteID, _, _, _), .deleteAllCustomers(let siteID, _):
            ["site": String(siteID)]
        }
    }
}

/// The customers of sites: fetches, stores and searches them.
public final class CustomerStore: Store {
    private let context: StoreContext
    private let analytics: WCAnalyticsCustomerRemote
    private let commands: any CustomerCommandFactory
    private let running = RunningSynchronizations()

    /// Handles the customer actions of the session that `context` belongs to.
    public convenience init(_ context: StoreContext) {
        self.init(context, commands: SiteCustomerCommands(context))
    }

    /// - Parameters:
    ///   - context: the dependencies of the stores of a site.
    ///   - commands: makes the commands that read customers from the site and keep them.
    init(_ context: StoreContext, commands: any CustomerCommandFactory) {
        (self.context, self.commands) = (context, commands)
        analytics = WCAnalyticsCustomerRemote(context.sender)
    }

    public func onAction(_ action: CustomerAction) {
        switch action {
        case .synchronizeLightCustomersData(
            let siteID, let page, let orderBy, let direction, let withEmailOnly, let onCompletion):
            synchronizeLightCustomersData(siteID, page, orderBy, direction, withEmailOnly, onCompletion)
        case .synchronizeAllCustomers(let siteID, let page, let onCompletion):
            synchronizeAllCustomers(siteID, page, onCompletion)
        case .synchronizeEveryCustomer(let siteID, let pageLimit, let onProgress, let onCompletion):
            let synchronization = CustomerSynchronization(
                context: context, remote: analytics, siteID: siteID, pageLimit: pageLimit)
            let key = CommandKey("customers.all", "site \(siteID)", "pages \(pageLimit ?? .max)")
            running.begin(siteID: siteID, onCompletion) { onEnd in
                context.carryOut(key, onEnd) { () async throws(StoreError) in
                    try await synchronization.run(onProgress: onProgress)
                }
            }
        case .cancelSynchronization(let siteID): running.cancel(siteID: siteID)
        case .searchCustomers(
            let siteID, let page, let keyword, let filter, let retrieveFullCustomersData, let onCompletion):
            searchCustomers(siteID, page, keyword, filter, isFull: retrieveFullCustomersData, onCompletion)
        case .searchWCAnalyticsCustomers(let siteID, let page, let keyword, let filter, let onCompletion):
            searchWCAnalyticsCustomers(siteID, page, keyword, filter, onCompletion)
        case .retrieveCustomer(let siteID, let customerID, let onCompletion):
            retrieveCustomer(siteID, customerID, onCompletion)
        case .loadCustomer(let siteID, let customerID, let onCompletion):
            context.read(onCompletion) { storage in
                guard
                    let customer = try storage.model(
                        Customer.self, matching: { $0.siteID == siteID && $0.id == customerID })
                else { throw CustomerRepository.missing(customerID) }
                return customer
            }
        case .loadCustomers(let siteID, let text, let limit, let onCompletion):
            loadCustomers(siteID, text, limit, onCompletion)
        case .loadCustomerSearchResults(let siteID, let keyword, let filter, let onCompletion):
            context.read(onCompletion) { storage in
                let ids = try SearchResult.elements(
                    of: CustomerRepository.accounts, keyword: CustomerRepository.keyword(keyword, filter),
                    siteID: siteID,
                    in: storage)
                return try storage.models(Customer.self, matching: { $0.siteID == siteID && $0.id.isIn(ids) })
                    .ordered(by: ids, \.id)
            }
        case .loadWCAnalyticsCustomerSearchResults(let siteID, let keyword, let filter, let onCompletion):
            context.read(onCompletion) { storage in
                let ids = try SearchResult.elements(
                    of: CustomerRepository.everyone, keyword: CustomerRepository.keyword(keyword, filter),
                    siteID: siteID,
                    in: storage)
                return try storage.models(
                    WCAnalyticsCustomer.self, matching: { $0.siteID == siteID && $0.id.isIn(ids) }
                ).ordered(by: ids, \.id)
            }
        case .deleteAllCustomers(let siteID, let onCompletion):
            context.write(onCompletion) { try CustomerRepository.deleteAll(siteID: siteID, in: $0) }
        }
    }

    private func loadCustomers(
        _ siteID: Int64, _ text: String?, _ limit: Int?,
        _ onCompletion: CustomerAction.Completion<[WCAnalyticsCustomer]>
    ) {
        context.read(onCompletion) { storage in
            try storage.models(
                WCAnalyticsCustomer.self,
                matching: { customer in
                    guard let text else { return customer.siteID == siteID }
                    return customer.siteID == siteID
                        && (customer.name.contains(text) || customer.username.contains(text)
                            || customer.email.contains(text))
                },
                sortedBy: { [$0.dateLastActiveGMT.descending, $0.id.ascending] }, limit: limit)
        }
    }
}

// MARK: Pages

extension CustomerStore {
    private func synchronizeLightCustomersData(
        _ siteID: Int64, _ page: PageRequest, _ orderBy: WCAnalyticsCustomerRemote.OrderBy,
        _ direction: WCAnalyticsCustomerRemote.Direction, _ withEmailOnly: Bool,
        _ onCompletion: @escaping CustomerAction.Completion<Page<Customer>>
    ) {
        let key = CommandKey(
            "customers.light", "site \(siteID)", "page \(page.number) of \(page.size)", orderBy.rawValue,
            direction.rawValue, "with e-mail \(withEmailOnly)")
        let fetched = commands.fetchCustomers(
            siteID: siteID, page: page, orderBy: orderBy, direction: direction, withEmailOnly: withEmailOnly)
        let kept = fetched.map { $0.map { $0.compactMap(\.account) } }.followed { [commands] found in
            commands.save(.light(found.elements, siteID: siteID, isFirstPage: page.number == 1))
        }
        context.run(kept.keyed(key), onCompletion)
    }

    private func synchronizeAllCustomers(
        _ siteID: Int64, _ page: PageRequest,
        _ onCompletion: @escaping CustomerAction.Completion<Page<WCAnalyticsCustomer>>
    ) {
        let key = CommandKey("customers.page", "site \(siteID)", "page \(page.number) of \(page.size)")
        let fetched = commands.fetchCustomers(
            siteID: siteID, page: page, orderBy: .dateLastActive, direction: .descending, withEmailOnly: false)
        let kept = fetched.followed { [commands] found in
            commands.save(.everyone(found.elements, siteID: siteID, isFirstPage: page.number == 1))
        }
        context.run(kept.keyed(key), onCompletion)
    }
}

// MARK: Searching

extension CustomerStore {
    private func searchWCAnalyticsCustomers(
        _ siteID: Int64, _ page: PageRequest, _ keyword: String, _ filter: WCAnalyticsCustomerRemote.SearchFilter,
        _ onCompletion: @escaping CustomerAction.Completion<Page<WCAnalyticsCustomer>>
    ) {
        let key = CommandKey(
            "customers.search", "site \(siteID)", keyword, filter.rawValue, "page \(page.number) of \(page.size)")
        let search = CustomerSearch(siteID: siteID, keyword: keyword, filter: filter, page: page)
        let found = commands.searchCustomers(search).followed { [commands] found in
            commands.save(.found(found.elements, search))
        }
        context.run(found.keyed(key), onCompletion)
    }

    private func searchCustomers(
        _ siteID: Int64, _ page: PageRequest, _ keyword: String, _ filter: WCAnalyticsCustomerRemote.SearchFilter,
        isFull: Bool, _ onCompletion: @escaping CustomerAction.Completion<Page<Customer>>
    ) {
        let key = CommandKey(
            "customers.searchAccounts", "site \(siteID)", keyword, filter.rawValue,
            "page \(page.number) of \(page.size)", "full \(isFull)")
        let search = CustomerSearch(siteID: siteID, keyword: keyword, filter: filter, page: page)
        let found = commands.searchCustomers(search).map { $0.map { $0.compactMap(\.account) } }
        let merged = found.then { [commands] light in
            let full =
                isFull
                ? commands.fetchAccounts(siteID: siteID, light.elements.map(\.id))
                : KnownCommand(ElementList(elements: []))
            return full.followed { full in
                commands.save(.foundAccounts(light: light.elements, full: full.elements, search))
            }.map { light.completed(by: $0) }
        }
        context.run(merged.keyed(key), onCompletion)
    }

    private func retrieveCustomer(
        _ siteID: Int64, _ customerID: Int64, _ onCompletion: @escaping CustomerAction.Completion<Customer>
    ) {
        let key = CommandKey("customers.retrieve", "site \(siteID)", "customer \(customerID)")
        let fetched = commands.fetchAccount(siteID: siteID, customerID: customerID).followed { [commands] in
            commands.save(.account($0))
        }
        let kept = fetched.forgetting(CustomerRepository.missing(customerID)) { [commands] in
            commands.save(.accountGone(siteID: siteID, customerID: customerID))
        }
        context.run(kept.keyed(key), onCompletion)
    }
}

extension Page<Customer> {
    /// Returns the page with the customers of `full` in place of those with the same number.
    fileprivate func completed(by full: ElementList<Customer>) -> Page<Customer> {
        let known = Dictionary(full.elements.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return Page(
            list: ElementList(elements: elements.map { known[$0.id] ?? $0 }, rejected: list.rejected + full.rejected),
            total: total, totalPages: totalPages, hasNext: hasNext)
    }
}
