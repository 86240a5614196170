internal import Commands
internal import Networking
internal import Storage

/// The customers of sites.
public final class CustomerStore: Store {
    private let context: StoreContext
    private let accounts: CustomerRemote
    private let analytics: WCAnalyticsCustomerRemote
    private let running = RunningSynchronizations()

    public init(_ context: StoreContext) {
        self.context = context
        (accounts, analytics) = (CustomerRemote(context.sender), WCAnalyticsCustomerRemote(context.sender))
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
                else { throw CustomerShelf.missing(customerID) }
                return customer
            }
        case .loadCustomers(let siteID, let text, let limit, let onCompletion):
            loadCustomers(siteID, text, limit, onCompletion)
        case .loadCustomerSearchResults(let siteID, let keyword, let filter, let onCompletion):
            context.read(onCompletion) { storage in
                let ids = try SearchResult.elements(
                    of: CustomerShelf.accounts, keyword: CustomerShelf.keyword(keyword, filter), siteID: siteID,
                    in: storage)
                return try storage.models(Customer.self, matching: { $0.siteID == siteID && $0.id.isIn(ids) })
                    .ordered(by: ids, \.id)
            }
        case .loadWCAnalyticsCustomerSearchResults(let siteID, let keyword, let filter, let onCompletion):
            context.read(onCompletion) { storage in
                let ids = try SearchResult.elements(
                    of: CustomerShelf.everybody, keyword: CustomerShelf.keyword(keyword, filter), siteID: siteID,
                    in: storage)
                return try storage.models(
                    WCAnalyticsCustomer.self, matching: { $0.siteID == siteID && $0.id.isIn(ids) }
                ).ordered(by: ids, \.id)
            }
        case .deleteAllCustomers(let siteID, let onCompletion):
            context.write(onCompletion) { try CustomerShelf.deleteAll(siteID: siteID, in: $0) }
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
        context.carryOut(key, onCompletion) { [context, analytics] () async throws(StoreError) in
            let found = try await context.ask { () async throws(NetworkError) in
                try await analytics.loadCustomers(
                    siteID: siteID, page: page, orderBy: orderBy, direction: direction, withEmailOnly: withEmailOnly)
            }.map { $0.compactMap(\.account) }
            try context.write { storage in
                try CustomerShelf.saveLight(
                    found.elements, siteID: siteID, replacingAll: page.number == 1, in: storage)
            }
            return found
        }
    }

    private func synchronizeAllCustomers(
        _ siteID: Int64, _ page: PageRequest,
        _ onCompletion: @escaping CustomerAction.Completion<Page<WCAnalyticsCustomer>>
    ) {
        let key = CommandKey("customers.page", "site \(siteID)", "page \(page.number) of \(page.size)")
        context.carryOut(key, onCompletion) { [context, analytics] () async throws(StoreError) in
            let found = try await context.ask { () async throws(NetworkError) in
                try await analytics.loadCustomers(
                    siteID: siteID, page: page, orderBy: .dateLastActive, direction: .descending)
            }
            try context.write { storage in
                if page.number == 1 {
                    _ = try storage.delete(WCAnalyticsCustomer.self, matching: { $0.siteID == siteID })
                }
                try storage.save(found.elements)
            }
            return found
        }
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
        context.carryOut(key, onCompletion) { [context, analytics] () async throws(StoreError) in
            let found = try await context.ask { () async throws(NetworkError) in
                try await analytics.searchCustomers(siteID: siteID, keyword: keyword, filter: filter, page: page)
            }
            try context.write { storage in
                try storage.save(found.elements)
                try SearchResult.save(
                    found.elements.map(\.id), of: CustomerShelf.everybody,
                    keyword: CustomerShelf.keyword(keyword, filter), siteID: siteID, page: page, in: storage)
            }
            return found
        }
    }

    private func searchCustomers(
        _ siteID: Int64, _ page: PageRequest, _ keyword: String, _ filter: WCAnalyticsCustomerRemote.SearchFilter,
        isFull: Bool, _ onCompletion: @escaping CustomerAction.Completion<Page<Customer>>
    ) {
        let key = CommandKey(
            "customers.searchAccounts", "site \(siteID)", keyword, filter.rawValue,
            "page \(page.number) of \(page.size)", "full \(isFull)")
        context.carryOut(key, onCompletion) { [context, analytics, accounts] () async throws(StoreError) in
            let light = try await context.ask { () async throws(NetworkError) in
                try await analytics.searchCustomers(siteID: siteID, keyword: keyword, filter: filter, page: page)
            }.map { $0.compactMap(\.account) }
            let full =
                isFull ? try await accounts.customers(siteID: siteID, light.elements.map(\.id)) : .init(elements: [])
            let known = Dictionary(full.elements.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            try context.write { storage in
                try CustomerShelf.saveLight(
                    light.elements.filter { known[$0.id] == nil }, siteID: siteID, in: storage)
                try storage.save(full.elements)
                try SearchResult.save(
                    light.elements.map(\.id), of: CustomerShelf.accounts,
                    keyword: CustomerShelf.keyword(keyword, filter), siteID: siteID, page: page, in: storage)
            }
            return Page(
                list: ElementList(
                    elements: light.elements.map { known[$0.id] ?? $0 },
                    rejected: light.list.rejected + full.rejected),
                total: light.total, totalPages: light.totalPages, hasNext: light.hasNext)
        }
    }

    private func retrieveCustomer(
        _ siteID: Int64, _ customerID: Int64, _ onCompletion: @escaping CustomerAction.Completion<Customer>
    ) {
        let key = CommandKey("customers.retrieve", "site \(siteID)", "customer \(customerID)")
        context.carryOut(key, onCompletion) { [context, accounts] () async throws(StoreError) in
            let customer: Customer
            do throws(NetworkError) {
                customer = try await accounts.loadCustomer(siteID: siteID, customerID: customerID)
            } catch {
                guard case .service(let service) = error, service.kind == .notFound else { throw StoreError(error) }
                try context.write { storage in
                    try CustomerShelf.deleteAccount(siteID: siteID, customerID: customerID, in: storage)
                }
                throw CustomerShelf.missing(customerID)
            }
            try context.write { try $0.save(customer) }
            return customer
        }
    }
}
