// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTrackingProvider.swift: change that, not this.
extension ShipmentTrackingProvider {
    /// The same with other values for what is given; what is nil stays.
    public func copy(name: String? = nil, url: String? = nil) -> ShipmentTrackingProvider {
        ShipmentTrackingProvider(name: name ?? self.name, url: url ?? self.url)
    }
}
