/// A fee of an order; a negative one is a discount.
struct FeeLine: Hashable, Sendable {
    var id: Int64
    var name: String
    var taxClass: String
    var isTaxed: Bool
    var total: Amount
    var taxes: [ChargedTax] = []

    var totalTax: Amount { taxes.lazy.map(\.total).sum() }
}
