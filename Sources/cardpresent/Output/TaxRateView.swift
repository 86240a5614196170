internal import Amounts
internal import Networking
internal import Yosemite

/// A tax rate as JSON and for people.
struct TaxRateView: Encodable, Sendable {
    var id: Int64
    var name: String
    var taxClass: String
    /// In percent, exactly as the store writes it.
    var rate: String
    var country: String
    var state: String
    var postcodes: [String]
    var cities: [String]
    var priority: Int64
    /// On top of other taxes.
    var compound: Bool
    /// On shipping too.
    var shipping: Bool

    init(_ rate: TaxRate) {
        (id, name, taxClass) = (rate.id, rate.name, rate.`class`)
        (self.rate, priority) = (rate.rate.description, rate.priority)
        (country, state) = (rate.country, rate.state)
        postcodes = rate.postcodes.isEmpty ? [rate.postcode].filter { !$0.isEmpty } : rate.postcodes
        cities = rate.cities.isEmpty ? [rate.city].filter { !$0.isEmpty } : rate.cities
        (compound, shipping) = (rate.compound, rate.shipping)
    }

    var row: [String] {
        let place = [country, state].filter { !$0.isEmpty }.joined(separator: " ")
        return [String(id), name, taxClass, rate + " %", place.isEmpty ? "everywhere" : place]
    }

    /// For people.
    var text: String {
        TextTable.text([
            ["id", String(id)], ["name", name], ["class", taxClass], ["rate", rate + " %"],
            ["country", country.isEmpty ? "any" : country], ["state", state.isEmpty ? "any" : state],
            ["postcodes", postcodes.isEmpty ? "any" : postcodes.joined(separator: ", ")],
            ["cities", cities.isEmpty ? "any" : cities.joined(separator: ", ")],
            ["priority", String(priority)], ["compound", compound ? "yes" : "no"],
            ["shipping", shipping ? "yes" : "no"],
        ])
    }
}
