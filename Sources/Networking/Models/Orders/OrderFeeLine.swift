public import Amounts

/// Something else that is paid for, or taken off.
public struct OrderFeeLine: Codable, Hashable, Sendable {
    public let id: Int64
    public let name: String
    public let taxClass: String
    public let taxStatus: OrderFeeTaxStatus?
    public let total: ExactDecimal
    public let totalTax: ExactDecimal
    public let taxes: [OrderItemTax]
}
