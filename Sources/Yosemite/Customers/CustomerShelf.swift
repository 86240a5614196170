internal import Networking
internal import Storage

/// Where customers are kept.
enum CustomerShelf {
    /// The word for customers with accounts in search results.
    static let accounts = "customer"
    /// The word for everybody in search results and marks.
    static let everybody = "analytics-customer"

    static func missing(_ customerID: Int64) -> StoreError { .notFound(entity: "customer", id: String(customerID)) }

    /// The word for a search in search results: two searches of one text in different places find different people.
    static func keyword(_ keyword: String, _ filter: WCAnalyticsCustomerRemote.SearchFilter) -> String {
        "\(filter.rawValue):\(keyword)"
    }

    /// Saves customers of whom only names and e-mail addresses are known, and keeps what more is stored of them.
    ///
    /// `replacingAll`: whether they take the place of all customers of the site.
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

    /// Forgets a customer with an account.
    static func deleteAccount(siteID: Int64, customerID: Int64, in storage: any StorageType) throws {
        _ = try storage.delete(Customer.self, matching: { $0.siteID == siteID && $0.id == customerID })
        _ = try storage.delete(
            SearchResult.self,
            matching: { $0.siteID == siteID && $0.entity == accounts && $0.elementID == customerID })
    }

    /// Forgets the customers of a site.
    static func deleteAll(siteID: Int64, in storage: any StorageType) throws {
        _ = try storage.delete(Customer.self, matching: { $0.siteID == siteID })
        _ = try storage.delete(WCAnalyticsCustomer.self, matching: { $0.siteID == siteID })
        _ = try storage.delete(
            SearchResult.self, matching: { $0.siteID == siteID && $0.entity.isIn([accounts, everybody]) })
        _ = try storage.delete(
            SynchronizationMark.self, matching: { $0.siteID == siteID && $0.entity == everybody })
    }
}

extension WCAnalyticsCustomer {
    /// What is known here of the account; nil for somebody without one. Guests have no number of their own among
    /// accounts, so they are none.
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
