/// A class of tax rates.
struct TaxClass: Hashable, Sendable {
    var slug: String
    var name: String
}
