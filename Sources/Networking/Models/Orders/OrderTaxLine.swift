public import Amounts

// @model
/// What a tax rate adds to an order.
public struct OrderTaxLine: Codable, Hashable, Sendable {
    public let id: Int64
    public let rateCode: String
    public let rateID: Int64?
    public let label: String
    public let compound: Bool
    public let taxTotal: ExactDecimal
    public let shippingTaxTotal: ExactDecimal
    public let ratePercent: ExactDecimal?

    // Made by Scripts/generate.
    public init(
        id: Int64,
        rateCode: String,
        rateID: Int64?,
        label: String,
        compound: Bool,
        taxTotal: ExactDecimal,
        shippingTaxTotal: ExactDecimal,
        ratePercent: ExactDecimal?
    ) {
        self.id = id
        self.rateCode = rateCode
        self.rateID = rateID
        self.label = label
        self.compound = compound
        self.taxTotal = taxTotal
        self.shippingTaxTotal = shippingTaxTotal
        self.ratePercent = ratePercent
    }
    // End of what was made.
}
