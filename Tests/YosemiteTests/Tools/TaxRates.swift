import Amounts
import Networking

extension TaxRate {
    /// A rate with a name to sort by, a class for its section, and a number of percent.
    static func sample(
        _ id: Int64, name: String = "", class: String = "standard", rate: String = "19", priority: Int64 = 0,
        siteID: Int64 = 7
    ) -> TaxRate {
        TaxRate(
            siteID: siteID, id: id, country: "DE", state: "", postcode: "", city: "", postcodes: [], cities: [],
            rate: ExactDecimal(rate) ?? .zero, name: name, priority: priority, compound: false,
            shipping: true, order: 0, class: `class`)
    }
}
