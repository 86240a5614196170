// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderItemTax.swift: change that, not this.
public import Amounts

extension OrderItemTax {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(id: Int64? = nil, subtotal: ExactDecimal?? = nil, total: ExactDecimal?? = nil) -> OrderItemTax {
        OrderItemTax(id: id ?? self.id, subtotal: subtotal ?? self.subtotal, total: total ?? self.total)
    }
}
