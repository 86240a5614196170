// Made by Scripts/generate from Sources/Networking/Models/Account/SiteCapabilities.swift: change that, not this.
extension SiteCapabilities {
    /// The same with other values for what is given; what is nil stays.
    public func copy(ownSite: Bool? = nil, manageOptions: Bool? = nil) -> SiteCapabilities {
        SiteCapabilities(ownSite: ownSite ?? self.ownSite, manageOptions: manageOptions ?? self.manageOptions)
    }
}
