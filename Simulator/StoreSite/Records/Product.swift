/// Something that the store sells.
struct Product: Hashable, Sendable {
    var id: Int64
    var name: String
    var slug: String
    var sku: String
    var price: Amount
    /// Of the tax class; empty for the standard one.
    var taxClass: String
    /// Whether nothing is sent: an order of such products alone needs no processing.
    var isVirtual: Bool
    /// Nil when stock is not counted.
    var stock: Int64?
    /// The products of a bundle.
    var bundled: [Int64] = []
    var type: String { bundled.isEmpty ? "simple" : "bundle" }
}
