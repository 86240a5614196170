// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderRefundCondensed.swift: change that, not this.
public import Amounts

extension OrderRefundCondensed {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(id: Int64? = nil, reason: String?? = nil, total: ExactDecimal? = nil) -> OrderRefundCondensed {
        OrderRefundCondensed(id: id ?? self.id, reason: reason ?? self.reason, total: total ?? self.total)
    }
}
