// Made by Scripts/generate from Sources/Networking/Models/Customers/WCAnalyticsCustomer.swift: change that, not this.
public import Networking

extension WCAnalyticsCustomer: Fakeable {
    public static func fake(from source: inout FakeSource) -> WCAnalyticsCustomer {
        WCAnalyticsCustomer(
            siteID: .fake(from: &source),
            id: .fake(from: &source),
            userID: .fake(from: &source),
            name: .fake(from: &source),
            username: .fake(from: &source),
            email: .fake(from: &source),
            country: .fake(from: &source),
            state: .fake(from: &source),
            city: .fake(from: &source),
            postcode: .fake(from: &source),
            dateRegisteredGMT: .fake(from: &source),
            dateLastActiveGMT: .fake(from: &source),
            ordersCount: .fake(from: &source),
            totalSpend: .fake(from: &source),
            avgOrderValue: .fake(from: &source))
    }
}
