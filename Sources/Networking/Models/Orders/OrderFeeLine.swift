public import Amounts

// @model
/// Something else that is paid for, or taken off.
public struct OrderFeeLine: Codable, Hashable, Sendable {
    public let id: Int64
    public let name: String
    public let taxClass: String
    public let taxStatus: OrderFeeTaxStatus?
    public let total: ExactDecimal
    public let totalTax: ExactDecimal
    public let taxes: [OrderItemTax]  // @json

    // Made by Scripts/generate.
    public init(
        id: Int64,
        name: String,
        taxClass: String,
        taxStatus: OrderFeeTaxStatus?,
        total: ExactDecimal,
        totalTax: ExactDecimal,
        taxes: [OrderItemTax]
    ) {
        self.id = id
        self.name = name
        self.taxClass = taxClass
        self.taxStatus = taxStatus
        self.total = total
        self.totalTax = totalTax
        self.taxes = taxes
    }
    // End of what was made.
}
