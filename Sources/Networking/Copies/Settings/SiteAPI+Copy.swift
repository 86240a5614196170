// Made by Scripts/generate from Sources/Networking/Models/Settings/SiteAPI.swift: change that, not this.
extension SiteAPI {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(siteID: Int64? = nil, namespaces: [String]? = nil, authentication: JSONValue?? = nil) -> SiteAPI {
        SiteAPI(
            siteID: siteID ?? self.siteID,
            namespaces: namespaces ?? self.namespaces,
            authentication: authentication ?? self.authentication)
    }
}
