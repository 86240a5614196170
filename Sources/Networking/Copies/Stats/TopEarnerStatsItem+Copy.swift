// Made by Scripts/generate from Sources/Networking/Models/Stats/TopEarnerStatsItem.swift: change that, not this.
public import Amounts

extension TopEarnerStatsItem {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        id: Int64? = nil,
        name: String?? = nil,
        total: ExactDecimal? = nil,
        quantity: ExactDecimal? = nil,
        price: ExactDecimal?? = nil,
        image: String?? = nil,
        currency: String? = nil
    ) -> TopEarnerStatsItem {
        TopEarnerStatsItem(
            id: id ?? self.id,
            name: name ?? self.name,
            total: total ?? self.total,
            quantity: quantity ?? self.quantity,
            price: price ?? self.price,
            image: image ?? self.image,
            currency: currency ?? self.currency)
    }
}
