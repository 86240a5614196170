// @model
/// Where something is sent, or who pays. What is not known is empty.
public struct Address: Codable, Hashable, Sendable {
    public let firstName: String
    public let lastName: String
    public let company: String
    public let address1: String
    public let address2: String
    public let city: String
    public let state: String
    public let postcode: String
    /// ISO 3166-1, two letters.
    public let country: String
    public let phone: String?
    public let email: String?

    public init(
        firstName: String = "", lastName: String = "", company: String = "", address1: String = "",
        address2: String = "", city: String = "", state: String = "", postcode: String = "", country: String = "",
        phone: String? = nil, email: String? = nil
    ) {
        (self.firstName, self.lastName, self.company) = (firstName, lastName, company)
        (self.address1, self.address2, self.city, self.state) = (address1, address2, city, state)
        (self.postcode, self.country, self.phone, self.email) = (postcode, country, phone, email)
    }

    /// As a store takes it.
    var parameters: JSONValue {
        var members: [JSONValue.Member] = [
            .init("first_name", .text(firstName)), .init("last_name", .text(lastName)),
            .init("company", .text(company)), .init("address_1", .text(address1)),
            .init("address_2", .text(address2)), .init("city", .text(city)), .init("state", .text(state)),
            .init("postcode", .text(postcode)), .init("country", .text(country)),
        ]
        if let phone { members.append(.init("phone", .text(phone))) }
        // An empty address is refused; none is not.
        if let email, !email.isEmpty { members.append(.init("email", .text(email))) }
        return .object(members)
    }
}
