// Made by Scripts/generate from Sources/Networking/Models/Settings/SiteSetting.swift: change that, not this.
extension SiteSetting {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        siteID: Int64? = nil,
        id: String? = nil,
        label: String? = nil,
        description: String? = nil,
        type: String?? = nil,
        value: JSONValue?? = nil,
        groupID: String? = nil
    ) -> SiteSetting {
        SiteSetting(
            siteID: siteID ?? self.siteID,
            id: id ?? self.id,
            label: label ?? self.label,
            description: description ?? self.description,
            type: type ?? self.type,
            value: value ?? self.value,
            groupID: groupID ?? self.groupID)
    }
}
