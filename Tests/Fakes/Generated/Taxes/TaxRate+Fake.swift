// Made by Scripts/generate from Sources/Networking/Models/Taxes/TaxRate.swift: change that, not this.
public import Networking

extension TaxRate: Fakeable {
    public static func fake(from source: inout FakeSource) -> TaxRate {
        TaxRate(
            siteID: .fake(from: &source),
            id: .fake(from: &source),
            country: .fake(from: &source),
            state: .fake(from: &source),
            postcode: .fake(from: &source),
            city: .fake(from: &source),
            postcodes: .fake(from: &source),
            cities: .fake(from: &source),
            rate: .fake(from: &source),
            name: .fake(from: &source),
            priority: .fake(from: &source),
            compound: .fake(from: &source),
            shipping: .fake(from: &source),
            order: .fake(from: &source),
            class: .fake(from: &source))
    }
}
