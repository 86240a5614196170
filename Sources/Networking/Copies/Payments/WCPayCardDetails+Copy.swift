// Made by Scripts/generate from Sources/Networking/Models/Payments/WCPayCardDetails.swift: change that, not this.
extension WCPayCardDetails {
    /// The same with other values for what is given; what is nil stays.
    public func copy(brand: String? = nil, last4: String? = nil, funding: String? = nil) -> WCPayCardDetails {
        WCPayCardDetails(brand: brand ?? self.brand, last4: last4 ?? self.last4, funding: funding ?? self.funding)
    }
}
