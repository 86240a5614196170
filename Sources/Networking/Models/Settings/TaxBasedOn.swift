/// Which address taxes are calculated for (`woocommerce_tax_based_on`).
public enum TaxBasedOn: String, Codable, Hashable, Sendable, CaseIterable {
    case customerShippingAddress = "shipping"
    case customerBillingAddress = "billing"
    case shopBaseAddress = "base"
}
