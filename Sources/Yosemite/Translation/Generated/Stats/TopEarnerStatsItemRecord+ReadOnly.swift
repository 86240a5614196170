// Made by Scripts/generate from Sources/Networking/Models/Stats/TopEarnerStatsItem.swift: change that, not this.
public import Networking
public import Storage

extension TopEarnerStatsItemRecord: ReadOnlyConvertible {
    public init(_ model: TopEarnerStatsItem) {
        self.init(
            id: model.id,
            name: model.name,
            total: model.total,
            quantity: model.quantity,
            price: model.price,
            image: model.image,
            currency: model.currency)
    }

    public func toReadOnly() throws -> TopEarnerStatsItem {
        TopEarnerStatsItem(
            id: id,
            name: name,
            total: total,
            quantity: quantity,
            price: price,
            image: image,
            currency: currency)
    }
}
