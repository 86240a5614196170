public import Amounts
public import Determinism

// @record key(siteID, id)
/// Somebody who has bought something, with an account or without (`wc-analytics/customers`).
public struct WCAnalyticsCustomer: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let id: Int64
    /// 0 or absent for somebody without an account.
    public let userID: Int64?
    public let name: String?
    public let username: String?
    public let email: String?
    public let country: String?
    public let state: String?
    public let city: String?
    public let postcode: String?
    public let dateRegisteredGMT: Timestamp?
    public let dateLastActiveGMT: Timestamp?
    public let ordersCount: Int64?
    public let totalSpend: ExactDecimal?
    public let avgOrderValue: ExactDecimal?

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        id: Int64,
        userID: Int64?,
        name: String?,
        username: String?,
        email: String?,
        country: String?,
        state: String?,
        city: String?,
        postcode: String?,
        dateRegisteredGMT: Timestamp?,
        dateLastActiveGMT: Timestamp?,
        ordersCount: Int64?,
        totalSpend: ExactDecimal?,
        avgOrderValue: ExactDecimal?
    ) {
        self.siteID = siteID
        self.id = id
        self.userID = userID
        self.name = name
        self.username = username
        self.email = email
        self.country = country
        self.state = state
        self.city = city
        self.postcode = postcode
        self.dateRegisteredGMT = dateRegisteredGMT
        self.dateLastActiveGMT = dateLastActiveGMT
        self.ordersCount = ordersCount
        self.totalSpend = totalSpend
        self.avgOrderValue = avgOrderValue
    }
    // End of what was made.

    /// Whether ``Customer`` knows more.
    public var hasAccount: Bool { (userID ?? 0) > 0 }
}
