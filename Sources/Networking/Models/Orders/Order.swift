public import Amounts
public import Determinism

/// An order (`wc/v3/orders`). Amounts are decimals with as many digits as the store sends; ``amount()`` is what is paid.
public struct Order: Codable, Hashable, Sendable {
    public let siteID: Int64
    public let id: Int64
    public let parentID: Int64?
    /// 0 for a guest.
    public let customerID: Int64?
    public let orderKey: String
    /// What the customer sees; plug-ins make texts of it.
    public let number: String
    public let status: OrderStatusEnum
    /// ISO 4217, three letters.
    public let currency: String
    public let currencySymbol: String?
    public let customerNote: String
    public let dateCreatedGMT: Timestamp?
    public let dateModifiedGMT: Timestamp?
    public let datePaidGMT: Timestamp?
    public let dateCompletedGMT: Timestamp?
    public let discountTotal: ExactDecimal
    public let discountTax: ExactDecimal
    public let shippingTotal: ExactDecimal
    public let shippingTax: ExactDecimal
    public let total: ExactDecimal
    public let totalTax: ExactDecimal
    public let paymentMethod: String
    public let paymentMethodTitle: String
    public let paymentURL: String?
    public let transactionID: String?
    public let lineItems: [OrderItem]
    public let billing: Address?
    public let shipping: Address?
    public let shippingLines: [ShippingLine]
    public let couponLines: [OrderCouponLine]
    public let refunds: [OrderRefundCondensed]
    public let feeLines: [OrderFeeLine]
    public let taxLines: [OrderTaxLine]
    public let metaData: [MetaData]
    public let giftCards: [OrderGiftCard]
    /// Nil from stores before WooCommerce 6.6; see ``needsPayment``.
    private let isEditable: Bool?
    private let needsPayment: Bool?
}

extension Order {
    /// What is to be paid.
    ///
    /// - Throws: ``MoneyError``
    public func amount() throws(MoneyError) -> Money { try Money(total, currency: Currency(code: currency)) }

    /// Whether the customer has still to pay.
    public var isPaymentDue: Bool {
        needsPayment ?? ((status == .pending || status == .failed) && total != .zero && !total.isNegative)
    }

    /// Whether the store lets its amounts be changed.
    public var canBeEdited: Bool {
        isEditable ?? (status == .pending || status == .onHold || status == .autoDraft)
    }

    /// The payment gateway's charge, when there is one.
    public var chargeID: String? { metadata("_charge_id") }

    /// The subscription that this order renews.
    public var renewedSubscriptionID: String? { metadata("_subscription_renewal") }

    /// What the shop's people see of the metadata.
    public var customFields: [MetaData] { metaData.filter { !$0.isInternal } }

    /// Where the order came from, when the store keeps that.
    public var attribution: OrderAttribution? { OrderAttribution(metaData) }

    private func metadata(_ key: String) -> String? {
        guard let text = metaData.first(where: { $0.key == key })?.value?.textValue, !text.isEmpty else { return nil }
        return text
    }
}
