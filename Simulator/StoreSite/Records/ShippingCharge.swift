/// A line of an order for shipping.
struct ShippingCharge: Hashable, Sendable {
    var id: Int64
    var methodID: String
    var methodTitle: String
    var total: Amount
    var taxes: [ChargedTax] = []

    var totalTax: Amount { taxes.lazy.map(\.total).sum() }
}
