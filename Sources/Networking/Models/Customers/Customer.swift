public import Determinism

/// A customer with an account at the store (`wc/v3/customers`).
public struct Customer: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let id: Int64
    public let email: String
    public let username: String?
    public let firstName: String?
    public let lastName: String?
    public let role: String?
    public let isPayingCustomer: Bool
    public let dateCreatedGMT: Timestamp?
    public let dateModifiedGMT: Timestamp?
    public let billing: Address?
    public let shipping: Address?
}
