// Made by Scripts/generate from Sources/Networking/Models/Account/SiteWithPlan.swift: change that, not this.
extension SiteWithPlan {
    /// The same with other values for what is given; what is nil stays.
    public func copy(id: Int64? = nil, plan: SitePlan? = nil) -> SiteWithPlan {
        SiteWithPlan(id: id ?? self.id, plan: plan ?? self.plan)
    }
}
