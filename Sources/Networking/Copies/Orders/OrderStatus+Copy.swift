// Made by Scripts/generate from Sources/Networking/Models/Orders/OrderStatus.swift: change that, not this.
extension OrderStatus {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        siteID: Int64? = nil,
        slug: OrderStatusEnum? = nil,
        name: String? = nil,
        total: Int64? = nil
    ) -> OrderStatus {
        OrderStatus(
            siteID: siteID ?? self.siteID,
            slug: slug ?? self.slug,
            name: name ?? self.name,
            total: total ?? self.total)
    }
}
