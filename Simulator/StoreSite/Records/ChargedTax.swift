/// What one tax rate makes of a line.
struct ChargedTax: Hashable, Sendable {
    var rateID: Int64
    var total: Amount
    /// Before coupons.
    var subtotal: Amount
}
