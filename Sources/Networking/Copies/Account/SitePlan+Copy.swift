// Made by Scripts/generate from Sources/Networking/Models/Account/SitePlan.swift: change that, not this.
extension SitePlan {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(productSlug: String? = nil, productNameShort: String?? = nil) -> SitePlan {
        SitePlan(
            productSlug: productSlug ?? self.productSlug,
            productNameShort: productNameShort ?? self.productNameShort)
    }
}
