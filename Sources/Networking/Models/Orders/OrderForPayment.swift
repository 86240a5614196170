/// An order, with what is not kept of it because only its payment needs it.
public struct OrderForPayment: Decodable, Hashable, Sendable {
    public let order: Order
    /// Whether the store's prices contain the taxes, so that its customers see them so. The amounts of the order's lines
    /// are without them all the same.
    public let pricesIncludeTax: Bool

    private enum CodingKeys: CodingKey {
        case pricesIncludeTax
    }

    public init(from decoder: any Decoder) throws {
        order = try Order(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        pricesIncludeTax = try container.decodeIfPresent(Bool.self, forKey: .pricesIncludeTax) ?? false
    }
}
