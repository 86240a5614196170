// Made by Scripts/generate from Sources/Networking/Models/Payments/ReaderLocationAddress.swift: change that, not this.
extension ReaderLocationAddress {
    /// The same with other values for what is given; what is nil stays. An optional one becomes nil by `.some(nil)`.
    public func copy(
        line1: String? = nil,
        line2: String?? = nil,
        city: String? = nil,
        state: String? = nil,
        postalCode: String? = nil,
        country: String? = nil
    ) -> ReaderLocationAddress {
        ReaderLocationAddress(
            line1: line1 ?? self.line1,
            line2: line2 ?? self.line2,
            city: city ?? self.city,
            state: state ?? self.state,
            postalCode: postalCode ?? self.postalCode,
            country: country ?? self.country)
    }
}
