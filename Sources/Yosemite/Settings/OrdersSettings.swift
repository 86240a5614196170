internal import Networking

/// How somebody wants to see the orders of a store.
public struct OrdersSettings: Hashable, Sendable {
    /// Only orders of these statuses, by their slugs; empty for all.
    public var statuses: [String]
    /// Only orders from this day on, `2026-01-31`; nil for all.
    public var from: String?
    /// Only orders until this day; nil for all.
    public var to: String?
    /// Only orders with this product.
    public var productID: Int64?
    /// Only orders of this customer.
    public var customerID: Int64?

    public init(
        statuses: [String] = [], from: String? = nil, to: String? = nil, productID: Int64? = nil,
        customerID: Int64? = nil
    ) {
        (self.statuses, self.from, self.to) = (statuses, from, to)
        (self.productID, self.customerID) = (productID, customerID)
    }
}

extension SettingsKey<OrdersSettings> {
    static var orders: SettingsKey<OrdersSettings> {
        SettingsKey(
            name: "orders",
            read: { value in
                guard case .object = value else { return nil }
                var settings = OrdersSettings()
                if let statuses = value["statuses"] {
                    guard case .list(let words) = statuses else { return nil }
                    settings.statuses = words.compactMap(\.textValue)
                }
                (settings.from, settings.to) = (value["from"]?.textValue, value["to"]?.textValue)
                settings.productID = value["product"]?.textValue.flatMap { Int64($0) }
                settings.customerID = value["customer"]?.textValue.flatMap { Int64($0) }
                return settings
            },
            write: { settings in
                var members = [JSONValue.Member("statuses", .list(settings.statuses.map { .text($0) }))]
                if let from = settings.from { members.append(JSONValue.Member("from", .text(from))) }
                if let to = settings.to { members.append(JSONValue.Member("to", .text(to))) }
                if let product = settings.productID { members.append(JSONValue.Member("product", JSONValue(product))) }
                if let customer = settings.customerID {
                    members.append(JSONValue.Member("customer", JSONValue(customer)))
                }
                return .object(members)
            })
    }
}
