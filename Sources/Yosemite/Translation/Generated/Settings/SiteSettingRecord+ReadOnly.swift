// Made by Scripts/generate from Sources/Networking/Models/Settings/SiteSetting.swift: change that, not this.
public import Networking
public import Storage

extension SiteSettingRecord: ReadOnlyConvertible {
    public init(_ model: SiteSetting) {
        self.init(
            siteID: model.siteID,
            id: model.id,
            label: model.label,
            description: model.description,
            type: model.type,
            value: model.value.map(JSONColumn.text),
            groupID: model.groupID)
    }

    public func toReadOnly() throws -> SiteSetting {
        try SiteSetting(
            siteID: siteID,
            id: id,
            label: label,
            description: description,
            type: type,
            value: value.map { try json($0, "value") },
            groupID: groupID)
    }
}

extension SiteSetting: ReadOnlyType {
    public typealias Record = SiteSettingRecord

    public func isReadOnlyRepresentation(of record: SiteSettingRecord) -> Bool {
        siteID == record.siteID && groupID == record.groupID && id == record.id
    }
}
