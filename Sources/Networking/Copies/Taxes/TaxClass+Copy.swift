// Made by Scripts/generate from Sources/Networking/Models/Taxes/TaxClass.swift: change that, not this.
extension TaxClass {
    /// The same with other values for what is given; what is nil stays.
    public func copy(siteID: Int64? = nil, slug: String? = nil, name: String? = nil) -> TaxClass {
        TaxClass(siteID: siteID ?? self.siteID, slug: slug ?? self.slug, name: name ?? self.name)
    }
}
