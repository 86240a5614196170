public import Amounts
public import Determinism

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

    /// Whether ``Customer`` knows more.
    public var hasAccount: Bool { (userID ?? 0) > 0 }
}
