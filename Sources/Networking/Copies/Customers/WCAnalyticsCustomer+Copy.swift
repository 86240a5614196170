// Made by Scripts/generate from Sources/Networking/Models/Customers/WCAnalyticsCustomer.swift: change that, not this.
public import Amounts
public import Determinism

extension WCAnalyticsCustomer {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        siteID: Int64? = nil,
        id: Int64? = nil,
        userID: Int64?? = nil,
        name: String?? = nil,
        username: String?? = nil,
        email: String?? = nil,
        country: String?? = nil,
        state: String?? = nil,
        city: String?? = nil,
        postcode: String?? = nil,
        dateRegisteredGMT: Timestamp?? = nil,
        dateLastActiveGMT: Timestamp?? = nil,
        ordersCount: Int64?? = nil,
        totalSpend: ExactDecimal?? = nil,
        avgOrderValue: ExactDecimal?? = nil
    ) -> WCAnalyticsCustomer {
        WCAnalyticsCustomer(
            siteID: siteID ?? self.siteID,
            id: id ?? self.id,
            userID: userID ?? self.userID,
            name: name ?? self.name,
            username: username ?? self.username,
            email: email ?? self.email,
            country: country ?? self.country,
            state: state ?? self.state,
            city: city ?? self.city,
            postcode: postcode ?? self.postcode,
            dateRegisteredGMT: dateRegisteredGMT ?? self.dateRegisteredGMT,
            dateLastActiveGMT: dateLastActiveGMT ?? self.dateLastActiveGMT,
            ordersCount: ordersCount ?? self.ordersCount,
            totalSpend: totalSpend ?? self.totalSpend,
            avgOrderValue: avgOrderValue ?? self.avgOrderValue)
    }
}
