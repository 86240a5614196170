// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTrackingProvider.swift: change that, not this.
public import Networking
public import Storage

extension ShipmentTrackingProviderRecord: ReadOnlyConvertible {
    public init(_ model: ShipmentTrackingProvider) {
        self.init(name: model.name, url: model.url)
    }

    public func toReadOnly() throws -> ShipmentTrackingProvider {
        ShipmentTrackingProvider(name: name, url: url)
    }
}
