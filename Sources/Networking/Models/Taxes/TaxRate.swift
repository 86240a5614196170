public import Amounts

// @record key(siteID, id)
/// A tax rate and where it holds (`wc/v3/taxes`).
public struct TaxRate: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let id: Int64
    public let country: String
    public let state: String
    public let postcode: String
    public let city: String
    public let postcodes: [String]  // @json
    public let cities: [String]  // @json
    /// In percent.
    public let rate: ExactDecimal
    public let name: String
    public let priority: Int64
    public let compound: Bool
    public let shipping: Bool
    public let order: Int64
    /// The slug of the ``TaxClass``.
    public let `class`: String

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        id: Int64,
        country: String,
        state: String,
        postcode: String,
        city: String,
        postcodes: [String],
        cities: [String],
        rate: ExactDecimal,
        name: String,
        priority: Int64,
        compound: Bool,
        shipping: Bool,
        order: Int64,
        class: String
    ) {
        self.siteID = siteID
        self.id = id
        self.country = country
        self.state = state
        self.postcode = postcode
        self.city = city
        self.postcodes = postcodes
        self.cities = cities
        self.rate = rate
        self.name = name
        self.priority = priority
        self.compound = compound
        self.shipping = shipping
        self.order = order
        self.`class` = `class`
    }
    // End of what was made.
}
