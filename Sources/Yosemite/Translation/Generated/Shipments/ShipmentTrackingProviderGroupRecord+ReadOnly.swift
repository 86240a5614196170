// Made by Scripts/generate from Sources/Networking/Models/Shipments/ShipmentTrackingProviderGroup.swift: change that, not this.
public import Networking
public import Storage

extension ShipmentTrackingProviderGroupRecord: ReadOnlyConvertible {
    public init(_ model: ShipmentTrackingProviderGroup) {
        self.init(
            siteID: model.siteID,
            name: model.name,
            providers: model.providers.map(ShipmentTrackingProviderRecord.init))
    }

    public func toReadOnly() throws -> ShipmentTrackingProviderGroup {
        try ShipmentTrackingProviderGroup(siteID: siteID, name: name, providers: providers.map { try $0.toReadOnly() })
    }
}

extension ShipmentTrackingProviderGroup: ReadOnlyType {
    public typealias Record = ShipmentTrackingProviderGroupRecord

    public func isReadOnlyRepresentation(of record: ShipmentTrackingProviderGroupRecord) -> Bool {
        siteID == record.siteID && name == record.name
    }
}
