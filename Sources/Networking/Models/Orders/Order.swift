public import Amounts
public import Determinism

// @record key(siteID, id)
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
    public let lineItems: [OrderItem]  // @children
    public let billing: Address?  // @embedded
    public let shipping: Address?  // @embedded
    public let shippingLines: [ShippingLine]  // @children
    public let couponLines: [OrderCouponLine]  // @children
    public let refunds: [OrderRefundCondensed]  // @children
    public let feeLines: [OrderFeeLine]  // @children
    public let taxLines: [OrderTaxLine]  // @children
    public let metaData: [MetaData]  // @children
    public let giftCards: [OrderGiftCard]  // @children
    /// Nil from stores before WooCommerce 6.6: ``canBeEdited`` is what to ask.
    public let isEditable: Bool?
    /// Nil from stores before WooCommerce 6.6: ``isPaymentDue`` is what to ask.
    public let needsPayment: Bool?

    // Made by Scripts/generate.
    public init(
        siteID: Int64,
        id: Int64,
        parentID: Int64?,
        customerID: Int64?,
        orderKey: String,
        number: String,
        status: OrderStatusEnum,
        currency: String,
        currencySymbol: String?,
        customerNote: String,
        dateCreatedGMT: Timestamp?,
        dateModifiedGMT: Timestamp?,
        datePaidGMT: Timestamp?,
        dateCompletedGMT: Timestamp?,
        discountTotal: ExactDecimal,
        discountTax: ExactDecimal,
        shippingTotal: ExactDecimal,
        shippingTax: ExactDecimal,
        total: ExactDecimal,
        totalTax: ExactDecimal,
        paymentMethod: String,
        paymentMethodTitle: String,
        paymentURL: String?,
        transactionID: String?,
        lineItems: [OrderItem],
        billing: Address?,
        shipping: Address?,
        shippingLines: [ShippingLine],
        couponLines: [OrderCouponLine],
        refunds: [OrderRefundCondensed],
        feeLines: [OrderFeeLine],
        taxLines: [OrderTaxLine],
        metaData: [MetaData],
        giftCards: [OrderGiftCard],
        isEditable: Bool?,
        needsPayment: Bool?
    ) {
        self.siteID = siteID
        self.id = id
        self.parentID = parentID
        self.customerID = customerID
        self.orderKey = orderKey
        self.number = number
        self.status = status
        self.currency = currency
        self.currencySymbol = currencySymbol
        self.customerNote = customerNote
        self.dateCreatedGMT = dateCreatedGMT
        self.dateModifiedGMT = dateModifiedGMT
        self.datePaidGMT = datePaidGMT
        self.dateCompletedGMT = dateCompletedGMT
        self.discountTotal = discountTotal
        self.discountTax = discountTax
        self.shippingTotal = shippingTotal
        self.shippingTax = shippingTax
        self.total = total
        self.totalTax = totalTax
        self.paymentMethod = paymentMethod
        self.paymentMethodTitle = paymentMethodTitle
        self.paymentURL = paymentURL
        self.transactionID = transactionID
        self.lineItems = lineItems
        self.billing = billing
        self.shipping = shipping
        self.shippingLines = shippingLines
        self.couponLines = couponLines
        self.refunds = refunds
        self.feeLines = feeLines
        self.taxLines = taxLines
        self.metaData = metaData
        self.giftCards = giftCards
        self.isEditable = isEditable
        self.needsPayment = needsPayment
    }
    // End of what was made.
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
