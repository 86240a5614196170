/// What was sold: a line of an order.
public struct ReceiptItem: Hashable, Sendable, Codable {
    /// A choice that was made for the item, for example a size.
    public struct Attribute: Hashable, Sendable, Codable {
        public var name: String
        public var value: String

        public init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    public var title: String
    /// A plain decimal: stores sell half a metre too.
    public var quantity: String
    /// The price of all of them before discounts, a plain decimal.
    public var amount: String
    public var attributes: [Attribute]

    public init(title: String, quantity: String, amount: String, attributes: [Attribute] = []) {
        (self.title, self.quantity, self.amount, self.attributes) = (title, quantity, amount, attributes)
    }
}
