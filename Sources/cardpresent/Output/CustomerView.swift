internal import Amounts
internal import Determinism
internal import Networking

/// Somebody who has bought something, as JSON and for people.
struct CustomerView: Encodable, Sendable {
    /// The number among all who have bought something.
    var id: Int64
    /// The number of the account; null for somebody without one.
    @Nullable var account: Int64? = nil
    @Nullable var name: String? = nil
    @Nullable var username: String? = nil
    @Nullable var email: String? = nil
    @Nullable var city: String? = nil
    @Nullable var country: String? = nil
    @Nullable var orders: Int64? = nil
    /// In the store's currency, as the store writes it.
    @Nullable var totalSpend: String? = nil
    @Nullable var lastActiveAt: String? = nil

    init(_ customer: WCAnalyticsCustomer) {
        (id, account) = (customer.id, customer.hasAccount ? customer.userID : nil)
        (name, username, email) = (customer.name, customer.username, customer.email)
        (city, country) = (customer.city, customer.country)
        (orders, totalSpend) = (customer.ordersCount, customer.totalSpend?.description)
        lastActiveAt = customer.dateLastActiveGMT?.description
    }

    var line: String {
        let place = [city, country].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
        return [
            (account.map(String.init) ?? "guest").padded(to: 8), (name ?? "").harmless.padded(to: 24),
            (email ?? "").harmless.padded(to: 30), "\(orders ?? 0) orders".padded(to: 12), place.harmless,
        ].joined(separator: "  ") + "\n"
    }
}
