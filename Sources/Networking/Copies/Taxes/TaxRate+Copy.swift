// Made by Scripts/generate from Sources/Networking/Models/Taxes/TaxRate.swift: change that, not this.
public import Amounts

extension TaxRate {
    /// The same with other values for what is given; what is nil stays.
    public func copy(
        siteID: Int64? = nil,
        id: Int64? = nil,
        country: String? = nil,
        state: String? = nil,
        postcode: String? = nil,
        city: String? = nil,
        postcodes: [String]? = nil,
        cities: [String]? = nil,
        rate: ExactDecimal? = nil,
        name: String? = nil,
        priority: Int64? = nil,
        compound: Bool? = nil,
        shipping: Bool? = nil,
        order: Int64? = nil,
        class: String? = nil
    ) -> TaxRate {
        TaxRate(
            siteID: siteID ?? self.siteID,
            id: id ?? self.id,
            country: country ?? self.country,
            state: state ?? self.state,
            postcode: postcode ?? self.postcode,
            city: city ?? self.city,
            postcodes: postcodes ?? self.postcodes,
            cities: cities ?? self.cities,
            rate: rate ?? self.rate,
            name: name ?? self.name,
            priority: priority ?? self.priority,
            compound: compound ?? self.compound,
            shipping: shipping ?? self.shipping,
            order: order ?? self.order,
            class: `class` ?? self.`class`)
    }
}
