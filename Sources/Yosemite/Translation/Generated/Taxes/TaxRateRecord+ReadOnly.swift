// Made by Scripts/generate from Sources/Networking/Models/Taxes/TaxRate.swift: change that, not this.
public import Networking
public import Storage

extension TaxRateRecord: ReadOnlyConvertible {
    public init(_ model: TaxRate) {
        self.init(
            siteID: model.siteID,
            id: model.id,
            country: model.country,
            state: model.state,
            postcode: model.postcode,
            city: model.city,
            postcodes: JSONColumn.text(model.postcodes),
            cities: JSONColumn.text(model.cities),
            rate: model.rate,
            name: model.name,
            priority: model.priority,
            compound: model.compound,
            shipping: model.shipping,
            order: model.order,
            class: model.`class`)
    }

    public func toReadOnly() throws -> TaxRate {
        try TaxRate(
            siteID: siteID,
            id: id,
            country: country,
            state: state,
            postcode: postcode,
            city: city,
            postcodes: json(postcodes, "postcodes"),
            cities: json(cities, "cities"),
            rate: rate,
            name: name,
            priority: priority,
            compound: compound,
            shipping: shipping,
            order: order,
            class: `class`)
    }
}

extension TaxRate: ReadOnlyType {
    public typealias Record = TaxRateRecord

    public func isReadOnlyRepresentation(of record: TaxRateRecord) -> Bool {
        siteID == record.siteID && id == record.id
    }
}
