// @model
/// A site as `rest/v1.1/sites/{id}` gives it when asked for its plan.
public struct SiteWithPlan: Codable, Hashable, Sendable {
    public let id: Int64
    public let plan: SitePlan

    // Made by Scripts/generate.
    public init(id: Int64, plan: SitePlan) {
        self.id = id
        self.plan = plan
    }
    // End of what was made.
}
