// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderStatus.swift: change that, not this.
public import Networking
public import Storage

extension OrderStatusRecord: ReadOnlyConvertible {
    public init(_ model: OrderStatus) {
        self.init(siteID: model.siteID, slug: model.slug.rawValue, name: model.name, total: model.total)
    }

    public func toReadOnly() throws -> OrderStatus {
        OrderStatus(siteID: siteID, slug: OrderStatusEnum(rawValue: slug), name: name, total: total)
    }
}

extension OrderStatus: ReadOnlyType {
    public typealias Record = OrderStatusRecord

    public func isReadOnlyRepresentation(of record: OrderStatusRecord) -> Bool {
        siteID == record.siteID && slug.rawValue == record.slug
    }
}
