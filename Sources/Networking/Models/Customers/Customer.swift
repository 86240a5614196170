public import Determinism

// @record key(siteID, id)
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
    public let billing: Address?  // @embedded
    public let shipping: Address?  // @embedded

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        id: Int64,
        email: String,
        username: String?,
        firstName: String?,
        lastName: String?,
        role: String?,
        isPayingCustomer: Bool,
        dateCreatedGMT: Timestamp?,
        dateModifiedGMT: Timestamp?,
        billing: Address?,
        shipping: Address?
    ) {
        self.siteID = siteID
        self.id = id
        self.email = email
        self.username = username
        self.firstName = firstName
        self.lastName = lastName
        self.role = role
        self.isPayingCustomer = isPayingCustomer
        self.dateCreatedGMT = dateCreatedGMT
        self.dateModifiedGMT = dateModifiedGMT
        self.billing = billing
        self.shipping = shipping
    }
    // End of what was made.
}
