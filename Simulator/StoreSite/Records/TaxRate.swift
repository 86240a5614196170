/// A tax rate of the store.
struct TaxRate: Hashable, Sendable {
    var id: Int64
    var country: String
    /// Empty for every state.
    var state: String
    var cities: [String] = []
    var postcodes: [String] = []
    /// In ten-thousandths of a percent: 88750 is 8.8750 %.
    var rate: Int64
    var name: String
    /// Of the rates with one priority the first that fits is charged.
    var priority: Int64
    var isCompound = false
    var coversShipping: Bool
    var order: Int64
    /// The slug of its class: `standard` for the standard one.
    var taxClass: String

    func fits(_ place: PostalAddress) -> Bool {
        country == place.country && (state.isEmpty || state == place.state)
            && (cities.isEmpty || cities.contains { $0.uppercased() == place.city.uppercased() })
            && (postcodes.isEmpty || postcodes.contains(place.postcode))
    }

    func tax(on amount: Amount) -> Amount { amount.part(rate, of: 1_000_000) }

    /// `8.8750`
    var rateText: String { "\(rate / 10_000).\(WallDate.pad(Int(rate % 10_000), 4))" }

    var code: String { "\(country)-\(state)-\(name.uppercased())-\(priority)" }

    func node(_ links: JSONNode) -> JSONNode {
        [
            "id": .integer(id), "country": .text(country), "state": .text(state),
            "postcode": .text(postcodes.last ?? ""), "city": .text(cities.last ?? ""), "rate": .text(rateText),
            "name": .text(name), "priority": .integer(priority), "compound": .bool(isCompound),
            "shipping": .bool(coversShipping), "order": .integer(order), "class": .text(taxClass),
            "postcodes": .list(postcodes.map(JSONNode.text)), "cities": .list(cities.map(JSONNode.text)),
            "_links": links,
        ]
    }
}
