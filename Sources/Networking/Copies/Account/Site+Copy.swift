// Made by Scripts/generate from Sources/Networking/Models/Account/Site.swift: change that, not this.
extension Site {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        id: Int64? = nil,
        name: String? = nil,
        description: String? = nil,
        url: String? = nil,
        jetpack: Bool? = nil,
        jetpackConnection: Bool? = nil,
        wasEcommerceTrial: Bool? = nil,
        plan: SitePlan?? = nil,
        capabilities: SiteCapabilities?? = nil,
        options: SiteOptions? = nil
    ) -> Site {
        Site(
            id: id ?? self.id,
            name: name ?? self.name,
            description: description ?? self.description,
            url: url ?? self.url,
            jetpack: jetpack ?? self.jetpack,
            jetpackConnection: jetpackConnection ?? self.jetpackConnection,
            wasEcommerceTrial: wasEcommerceTrial ?? self.wasEcommerceTrial,
            plan: plan ?? self.plan,
            capabilities: capabilities ?? self.capabilities,
            options: options ?? self.options)
    }
}
