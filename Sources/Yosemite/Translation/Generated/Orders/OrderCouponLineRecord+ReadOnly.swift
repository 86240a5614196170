// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderCouponLine.swift: change that, not this.
public import Networking
public import Storage

extension OrderCouponLineRecord: ReadOnlyConvertible {
    public init(_ model: OrderCouponLine) {
        self.init(id: model.id, code: model.code, discount: model.discount, discountTax: model.discountTax)
    }

    public func toReadOnly() throws -> OrderCouponLine {
        OrderCouponLine(id: id, code: code, discount: discount, discountTax: discountTax)
    }
}
