public import Amounts

// @model
/// How an order is sent.
public struct ShippingLine: Codable, Hashable, Sendable {
    public let id: Int64
    public let methodTitle: String
    public let methodID: String?
    public let total: ExactDecimal
    public let totalTax: ExactDecimal
    public let taxes: [OrderItemTax]  // @json

    // Made by Scripts/generate.
    public init(
        id: Int64,
        methodTitle: String,
        methodID: String?,
        total: ExactDecimal,
        totalTax: ExactDecimal,
        taxes: [OrderItemTax]
    ) {
        self.id = id
        self.methodTitle = methodTitle
        self.methodID = methodID
        self.total = total
        self.totalTax = totalTax
        self.taxes = taxes
    }
    // End of what was made.
}
