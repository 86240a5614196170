// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTrackingProviderGroup.swift: change that, not this.
extension ShipmentTrackingProviderGroup {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        siteID: Int64? = nil,
        name: String? = nil,
        providers: [ShipmentTrackingProvider]? = nil
    ) -> ShipmentTrackingProviderGroup {
        ShipmentTrackingProviderGroup(
            siteID: siteID ?? self.siteID,
            name: name ?? self.name,
            providers: providers ?? self.providers)
    }
}
