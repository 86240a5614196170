/// Customers with accounts.
public struct CustomerRemote: Remote {
    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    public func loadCustomer(siteID: Int64, customerID: Int64) async throws(NetworkError) -> Customer {
        try await value(
            JetpackRequest(siteID: siteID, .get, "customers/\(customerID)"), context: DecodingContext(siteID: siteID))
    }
}
