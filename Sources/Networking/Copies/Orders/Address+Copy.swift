// Made by Scripts/generate from Sources/Networking/Models/Orders/Address.swift: change that, not this.
extension Address {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        firstName: String? = nil,
        lastName: String? = nil,
        company: String? = nil,
        address1: String? = nil,
        address2: String? = nil,
        city: String? = nil,
        state: String? = nil,
        postcode: String? = nil,
        country: String? = nil,
        phone: String?? = nil,
        email: String?? = nil
    ) -> Address {
        Address(
            firstName: firstName ?? self.firstName,
            lastName: lastName ?? self.lastName,
            company: company ?? self.company,
            address1: address1 ?? self.address1,
            address2: address2 ?? self.address2,
            city: city ?? self.city,
            state: state ?? self.state,
            postcode: postcode ?? self.postcode,
            country: country ?? self.country,
            phone: phone ?? self.phone,
            email: email ?? self.email)
    }
}
