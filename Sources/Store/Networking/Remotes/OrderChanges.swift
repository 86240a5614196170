public import Money
import Text

/// The properties of a new order, or the changes of an existing one. Only set properties are sent.
public struct OrderChanges: Hashable, Sendable {
    /// A product line. A quantity of zero removes an existing line.
    public struct Item: Hashable, Sendable {
        /// Nil for a new line.
        public var id: Int64?
        public var productID: Int64
        public var variationID: Int64?
        public var quantity: ExactDecimal
        /// The amount before discounts; nil lets the store calculate it.
        public var subtotal: ExactDecimal?
        public var total: ExactDecimal?

        /// Describes a product line. `id` is nil for a new line; amounts that are nil are calculated by the store.
        public init(
            id: Int64? = nil, productID: Int64, variationID: Int64? = nil, quantity: ExactDecimal,
            subtotal: ExactDecimal? = nil, total: ExactDecimal? = nil
        ) {
            (self.id, self.productID, self.variationID) = (id, productID, variationID)
            (self.quantity, self.subtotal, self.total) = (quantity, subtotal, total)
        }
    }

    /// A fee line.
    public struct Fee: Hashable, Sendable {
        public var id: Int64?
        public var name: String
        public var total: ExactDecimal
        public var isTaxed: Bool

        /// Describes a fee. `id` is nil for a new line; a negative `total` is a discount.
        public init(id: Int64? = nil, name: String, total: ExactDecimal, isTaxed: Bool) {
            (self.id, self.name, self.total, self.isTaxed) = (id, name, total, isTaxed)
        }
    }

    /// A shipping line. A nil method removes an existing line.
    public struct Shipping: Hashable, Sendable {
        public var id: Int64?
        public var methodID: String?
        public var methodTitle: String
        public var total: ExactDecimal

        /// Describes a shipping line. `id` is nil for a new line.
        public init(id: Int64? = nil, methodID: String?, methodTitle: String, total: ExactDecimal) {
            (self.id, self.methodID, self.methodTitle, self.total) = (id, methodID, methodTitle, total)
        }
    }

    public var status: OrderStatusEnum?
    public var currency: String?
    public var customerID: Int64?
    public var customerNote: String?
    public var billing: Address?
    public var shipping: Address?
    public var items: [Item]?
    public var fees: [Fee]?
    public var shippingLines: [Shipping]?
    /// Coupon codes. The list replaces the order's coupons.
    public var coupons: [String]?
    public var paymentMethodID: String?
    public var paymentMethodTitle: String?
    public var giftCard: String?
    /// Metadata to store with the order, by name.
    public var metaData: [String: String]

    /// Takes what to set; nil leaves a property as it is, or as the store's default.
    public init(
        status: OrderStatusEnum? = nil, currency: String? = nil, customerID: Int64? = nil, customerNote: String? = nil,
        billing: Address? = nil, shipping: Address? = nil, items: [Item]? = nil, fees: [Fee]? = nil,
        shippingLines: [Shipping]? = nil, coupons: [String]? = nil, paymentMethodID: String? = nil,
        paymentMethodTitle: String? = nil, giftCard: String? = nil, metaData: [String: String] = [:]
    ) {
        (self.status, self.currency, self.customerID) = (status, currency, customerID)
        (self.customerNote, self.billing, self.shipping) = (customerNote, billing, shipping)
        (self.items, self.fees, self.shippingLines, self.coupons) = (items, fees, shippingLines, coupons)
        (self.paymentMethodID, self.paymentMethodTitle) = (paymentMethodID, paymentMethodTitle)
        (self.giftCard, self.metaData) = (giftCard, metaData)
    }

    var parameters: Parameters {
        var parameters: Parameters = [:]
        parameters.add("status", ifPresent: status?.rawValue)
        parameters.add("currency", ifPresent: currency)
        parameters.add("customer_id", ifPresent: customerID)
        parameters.add("customer_note", ifPresent: customerNote)
        if let billing { parameters.add("billing", billing.parameters) }
        if let shipping { parameters.add("shipping", shipping.parameters) }
        if let items { parameters.add("line_items", .list(items.map(Self.value))) }
        if let fees { parameters.add("fee_lines", .list(fees.map(Self.value))) }
        if let shippingLines { parameters.add("shipping_lines", .list(shippingLines.map(Self.value))) }
        if let coupons { parameters.add("coupon_lines", .list(coupons.map { ["code": .text($0)] })) }
        parameters.add("payment_method", ifPresent: paymentMethodID)
        parameters.add("payment_method_title", ifPresent: paymentMethodTitle)
        if let giftCard { parameters.add("gift_cards", [["code": .text(giftCard)]]) }
        if !metaData.isEmpty {
            let sorted = metaData.sorted { $0.key < $1.key }
            parameters.add("meta_data", .list(sorted.map { ["key": .text($0.key), "value": .text($0.value)] }))
        }
        return parameters
    }

    private static func value(_ item: Item) -> JSONValue {
        var parameters: Parameters = [:]
        parameters.add("id", ifPresent: item.id)
        parameters.add("product_id", JSONValue(item.productID))
        parameters.add("variation_id", ifPresent: item.variationID)
        parameters.add("quantity", .number(item.quantity.description))
        parameters.add("subtotal", ifPresent: item.subtotal?.description)
        parameters.add("total", ifPresent: item.total?.description)
        return .object(parameters.members)
    }

    private static func value(_ fee: Fee) -> JSONValue {
        var parameters: Parameters = [:]
        parameters.add("id", ifPresent: fee.id)
        parameters.add("name", .text(fee.name))
        parameters.add("total", .text(fee.total.description))
        parameters.add("tax_status", fee.isTaxed ? "taxable" : "none")
        return .object(parameters.members)
    }

    private static func value(_ line: Shipping) -> JSONValue {
        var parameters: Parameters = [:]
        parameters.add("id", ifPresent: line.id)
        parameters.add("method_id", line.methodID.map(JSONValue.text) ?? .null)
        parameters.add("method_title", .text(line.methodTitle))
        parameters.add("total", .text(line.total.description))
        return .object(parameters.members)
    }
}
