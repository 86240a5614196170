// Made by Scripts/generate from Sources/Networking/Models/Customers/Customer.swift: change that, not this.
public import Determinism

extension Customer {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        siteID: Int64? = nil,
        id: Int64? = nil,
        email: String? = nil,
        username: String?? = nil,
        firstName: String?? = nil,
        lastName: String?? = nil,
        role: String?? = nil,
        isPayingCustomer: Bool? = nil,
        dateCreatedGMT: Timestamp?? = nil,
        dateModifiedGMT: Timestamp?? = nil,
        billing: Address?? = nil,
        shipping: Address?? = nil
    ) -> Customer {
        Customer(
            siteID: siteID ?? self.siteID,
            id: id ?? self.id,
            email: email ?? self.email,
            username: username ?? self.username,
            firstName: firstName ?? self.firstName,
            lastName: lastName ?? self.lastName,
            role: role ?? self.role,
            isPayingCustomer: isPayingCustomer ?? self.isPayingCustomer,
            dateCreatedGMT: dateCreatedGMT ?? self.dateCreatedGMT,
            dateModifiedGMT: dateModifiedGMT ?? self.dateModifiedGMT,
            billing: billing ?? self.billing,
            shipping: shipping ?? self.shipping)
    }
}
