import Text

/// Customers with an account at the store.
public struct CustomerRemote: Remote {
    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// Loads a customer with an account.
    public func loadCustomer(siteID: Int64, customerID: Int64) async throws(NetworkError) -> Customer {
        try await value(
            JetpackRequest(siteID: siteID, .get, "customers/\(customerID)"), context: DecodingContext(siteID: siteID))
    }
}

/// All customers, including guests.
public struct WCAnalyticsCustomerRemote: Remote {
    /// The field to sort by.
    public enum OrderBy: String, Hashable, Sendable, CaseIterable {
        case name
        case dateLastActive = "date_last_active"
    }

    /// The direction of the sort.
    public enum Direction: String, Hashable, Sendable, CaseIterable {
        case ascending = "asc"
        case descending = "desc"
    }

    /// The field to search.
    public enum SearchFilter: String, Hashable, Sendable, CaseIterable {
        case all, name, username, email
    }

    public let sender: any RequestSender

    /// Sends its requests with the credentials that `sender` adds.
    public init(_ sender: any RequestSender) { self.sender = sender }

    /// `withEmailOnly`: leaves out customers without an email address.
    public func loadCustomers(
        siteID: Int64, page wanted: PageRequest = PageRequest(), orderBy: OrderBy = .name,
        direction: Direction = .ascending, withEmailOnly: Bool = false
    ) async throws(NetworkError) -> Page<WCAnalyticsCustomer> {
        var parameters: Parameters = ["orderby": .text(orderBy.rawValue), "order": .text(direction.rawValue)]
        if withEmailOnly { parameters.add("filter_empty", "email") }
        wanted.add(to: &parameters)
        return try await page(Self.request(siteID, parameters), wanted, siteID: siteID)
    }

    /// Loads a page of the customers in which the store finds the keyword, in one field or in all.
    public func searchCustomers(
        siteID: Int64, keyword: String, filter: SearchFilter, page wanted: PageRequest = PageRequest(),
        orderBy: OrderBy = .name, direction: Direction = .ascending
    ) async throws(NetworkError) -> Page<WCAnalyticsCustomer> {
        var parameters: Parameters = [
            "search": .text(keyword), "searchby": .text(filter.rawValue), "orderby": .text(orderBy.rawValue),
            "order": .text(direction.rawValue),
        ]
        wanted.add(to: &parameters)
        return try await page(Self.request(siteID, parameters), wanted, siteID: siteID)
    }

    private static func request(_ siteID: Int64, _ parameters: Parameters) -> JetpackRequest {
        JetpackRequest(
            siteID: siteID, namespace: WooNamespace.analytics, .get, "customers", parameters: parameters)
    }
}
