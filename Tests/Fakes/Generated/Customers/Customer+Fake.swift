// Made by Scripts/generate from Sources/Networking/Models/Customers/Customer.swift: change that, not this.
public import Networking

extension Customer: Fakeable {
    public static func fake(from source: inout FakeSource) -> Customer {
        Customer(
            siteID: .fake(from: &source),
            id: .fake(from: &source),
            email: .fake(from: &source),
            username: .fake(from: &source),
            firstName: .fake(from: &source),
            lastName: .fake(from: &source),
            role: .fake(from: &source),
            isPayingCustomer: .fake(from: &source),
            dateCreatedGMT: .fake(from: &source),
            dateModifiedGMT: .fake(from: &source),
            billing: .fake(from: &source),
            shipping: .fake(from: &source))
    }
}
