/// Everybody who has bought something.
public struct WCAnalyticsCustomerRemote: Remote {
    public enum OrderBy: String, Hashable, Sendable, CaseIterable {
        case name
        case dateLastActive = "date_last_active"
    }

    public enum Direction: String, Hashable, Sendable, CaseIterable {
        case ascending = "asc"
        case descending = "desc"
    }

    public enum SearchFilter: String, Hashable, Sendable, CaseIterable {
        case all, name, username, email
    }

    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    /// `withEmailOnly`: leaves out those without an address.
    public func loadCustomers(
        siteID: Int64, page wanted: PageRequest = PageRequest(), orderBy: OrderBy = .name,
        direction: Direction = .ascending, withEmailOnly: Bool = false
    ) async throws(NetworkError) -> Page<WCAnalyticsCustomer> {
        var parameters: Parameters = ["orderby": .text(orderBy.rawValue), "order": .text(direction.rawValue)]
        if withEmailOnly { parameters.add("filter_empty", "email") }
        wanted.add(to: &parameters)
        return try await page(Self.request(siteID, parameters), wanted, siteID: siteID)
    }

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
