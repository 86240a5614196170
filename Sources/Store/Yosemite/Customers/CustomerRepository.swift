import Determinism
import Networking
import Storage
import Synchronization

/// The stored customers.
enum CustomerRepository {
    /// The name of customers with accounts in search results.
    static let accounts = "customer"
    /// The name of all customers in search results and synchronization marks.
    static let everyone = "analytics-customer"

    static func missing(_ customerID: Int64) -> StoreError { .notFound(entity: "customer", id: String(customerID)) }

    /// The key of a search in search results, which includes the searched field.
    static func keyword(_ keyword: String, _ filter: WCAnalyticsCustomerRemote.SearchFilter) -> String {
        "\(filter.rawValue):\(keyword)"
    }

    /// Saves customers of whom only names and e-mail addresses are known, and keeps their other stored fields.
    ///
    /// `replacingAll`: whether they replace all stored customers of the site.
    static func saveLight(
        _ customers: [Customer], siteID: Int64, replacingAll: Bool = false, in storage: any StorageType
    ) throws {
        let ids = customers.map(\.id)
        let stored = Dictionary(
            try storage.models(Customer.self, matching: { $0.siteID == siteID && $0.id.isIn(ids) }).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        if replacingAll { _ = try storage.delete(Customer.self, matching: { $0.siteID == siteID }) }
        try storage.save(
            customers.map { customer in
                guard let known = stored[customer.id] else { return customer }
                return known.copy(
                    email: customer.email, username: .some(customer.username ?? known.username),
                    firstName: .some(customer.firstName ?? known.firstName),
                    lastName: .some(customer.lastName ?? known.lastName))
            })
    }

    /// Deletes a customer with an account.
    static func deleteAccount(siteID: Int64, customerID: Int64, in storage: any StorageType) throws {
        _ = try storage.delete(Customer.self, matching: { $0.siteID == siteID && $0.id == customerID })
        _ = try storage.delete(
            SearchResult.self,
            matching: { $0.siteID == siteID && $0.entity == accounts && $0.elementID == customerID })
    }

    /// Deletes the customers of a site.
    static func deleteAll(siteID: Int64, in storage: any StorageType) throws {
        _ = try storage.delete(Customer.self, matching: { $0.siteID == siteID })
        _ = try storage.delete(WCAnalyticsCustomer.self, matching: { $0.siteID == siteID })
        _ = try storage.delete(
            SearchResult.self, matching: { $0.siteID == siteID && $0.entity.isIn([accounts, everyone]) })
        _ = try storage.delete(
            SynchronizationMark.self, matching: { $0.siteID == siteID && $0.entity == everyone })
    }
}

extension WCAnalyticsCustomer {
    /// The customer's account as far as known; nil for guests, who have no account number.
    var account: Customer? {
        guard let userID, userID > 0 else { return nil }
        let words = (name ?? "").split(separator: " ", maxSplits: 1)
        return Customer(
            siteID: siteID, id: userID, email: email ?? "", username: username,
            firstName: words.first.map(String.init), lastName: words.dropFirst().first.map(String.init), role: nil,
            isPayingCustomer: (ordersCount ?? 0) > 0, dateCreatedGMT: dateRegisteredGMT, dateModifiedGMT: nil,
            billing: nil, shipping: nil)
    }
}

/// Synchronizes the stored customers of a site, page by page.
struct CustomerSynchronization: Sendable {
    let context: StoreContext
    let remote: WCAnalyticsCustomerRemote
    let siteID: Int64
    /// Nil for no limit.
    let pageLimit: Int?

    private struct Seen: Sendable {
        var ids: Set<Int64> = []
        var total: Int?
    }

    func run(
        onProgress: @escaping @Sendable (SynchronizationProgress) -> Void
    ) async throws(StoreError) -> SynchronizationReport {
        let known = try context.read { storage in
            Set(try storage.records(WCAnalyticsCustomerRecord.self, matching: { $0.siteID == siteID }).map(\.id))
        }
        let seen = Mutex(Seen())
        let walk = Paginator(context: context, pageLimit: max(1, pageLimit ?? .max)) {
            page async throws(NetworkError) in
            let page = try await remote.loadCustomers(siteID: siteID, page: page, orderBy: .name)
            seen.withLock { seen in
                seen.ids.formUnion(page.elements.map(\.id))
                seen.total = page.total ?? seen.total
            }
            return page
        } save: { page throws(StoreError) in
            try context.write { try $0.save(page.elements) }
            return page.elements.count
        }
        var report = try await walk.run(onProgress: onProgress)
        guard report.isComplete else { return report }
        let listed = seen.withLock { $0 }
        // Delete nothing when the list changed while it was read, or could not be decoded completely.
        let isWhole = report.rejectedCount == 0 && listed.ids.count >= listed.total ?? 0
        let gone = isWhole ? known.subtracting(listed.ids).sorted() : []
        try context.write { storage in
            _ = try storage.delete(WCAnalyticsCustomer.self, matching: { $0.siteID == siteID && $0.id.isIn(gone) })
            try storage.save(
                SynchronizationMark(
                    siteID: siteID, entity: CustomerRepository.everyone, synchronizedAt: context.time.now(),
                    modifiedUpTo: nil))
        }
        report.deleted = gone.count
        return report
    }
}

extension CustomerRemote {
    /// Fetches several customers, a few of them at the same time.
    ///
    /// Customers that the site no longer has are left out; those that can't be decoded are reported.
    func customers(siteID: Int64, _ ids: [Int64]) async throws(StoreError) -> ElementList<Customer> {
        try await withTaskGroup(of: Result<Customer, NetworkError>.self) { group in
            var (rest, customers, rejected) = (ids[...], [Customer](), [DecodingFailure]())
            func begin(_ id: Int64) {
                group.addTask {
                    do throws(NetworkError) {
                        return .success(try await loadCustomer(siteID: siteID, customerID: id))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            for id in rest.prefix(4) { begin(id) }
            rest = rest.dropFirst(4)
            while let answer = await group.next() {
                switch answer {
                case .success(let customer): customers.append(customer)
                case .failure(.undecodable(let failure)): rejected.append(failure)
                case .failure(.service(let service)) where service.kind == .notFound: break
                case .failure(let error):
                    group.cancelAll()
                    return Result<ElementList<Customer>, StoreError>.failure(StoreError(error))
                }
                if let next = rest.popFirst() { begin(next) }
            }
            return .success(ElementList(elements: customers, rejected: rejected))
        }.get()
    }
}
