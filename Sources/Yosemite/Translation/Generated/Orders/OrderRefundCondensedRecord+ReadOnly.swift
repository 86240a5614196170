// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderRefundCondensed.swift: change that, not this.
public import Networking
public import Storage

extension OrderRefundCondensedRecord: ReadOnlyConvertible {
    public init(_ model: OrderRefundCondensed) {
        self.init(id: model.id, reason: model.reason, total: model.total)
    }

    public func toReadOnly() throws -> OrderRefundCondensed {
        OrderRefundCondensed(id: id, reason: reason, total: total)
    }
}
