internal import Amounts
internal import Networking

extension Order {
    /// What is sent to change the chosen fields of an order to what this one has.
    func changes(_ fields: Set<OrderUpdateField>, giftCard: String? = nil) -> OrderChanges {
        var changes = OrderChanges(giftCard: giftCard)
        for field in fields {
            switch field {
            case .customerNote: changes.customerNote = customerNote
            case .shippingAddress: changes.shipping = shipping
            case .billingAddress: changes.billing = billing
            case .fees:
                changes.fees = feeLines.map {
                    OrderChanges.Fee(
                        id: $0.lineID, name: $0.name, total: $0.total, isTaxed: $0.taxStatus == .taxable)
                }
            case .shippingLines:
                changes.shippingLines = shippingLines.map {
                    OrderChanges.Shipping(
                        id: $0.lineID, methodID: $0.methodID, methodTitle: $0.methodTitle, total: $0.total)
                }
            case .couponLines: changes.coupons = couponLines.map(\.code)
            case .items: changes.items = itemChanges
            case .status: changes.status = status
            case .customerID: changes.customerID = customerID
            case .paymentMethodID: changes.paymentMethodID = paymentMethod
            case .paymentMethodTitle: changes.paymentMethodTitle = paymentMethodTitle
            }
        }
        return changes
    }

    /// The parts of a bundle are left out: the store's plug-in makes them of the line that they belong to.
    private var itemChanges: [OrderChanges.Item] {
        lineItems.filter { $0.parent == nil }.map { item in
            OrderChanges.Item(
                id: item.id > 0 ? item.id : nil, productID: item.productID ?? 0,
                variationID: item.variationID.flatMap { $0 > 0 ? $0 : nil }, quantity: item.quantity,
                subtotal: item.quantity == .zero ? nil : item.subtotal, total: item.quantity == .zero ? nil : item.total
            )
        }
    }

    /// Another order with the chosen fields of this one.
    func applying(_ fields: Set<OrderUpdateField>, to other: Order) -> Order {
        fields.reduce(other) { order, field in
            switch field {
            case .customerNote: order.copy(customerNote: customerNote)
            case .shippingAddress: order.copy(shipping: shipping)
            case .billingAddress: order.copy(billing: billing)
            case .fees: order.copy(feeLines: feeLines)
            case .shippingLines: order.copy(shippingLines: shippingLines)
            case .couponLines: order.copy(couponLines: couponLines)
            case .items: order.copy(lineItems: lineItems)
            case .status: order.showing(status)
            case .customerID: order.copy(customerID: customerID)
            case .paymentMethodID: order.copy(paymentMethod: paymentMethod)
            case .paymentMethodTitle: order.copy(paymentMethodTitle: paymentMethodTitle)
            }
        }
    }

    /// With another status. What the site said of payment and editing went with the status before.
    func showing(_ status: OrderStatusEnum) -> Order {
        copy(status: status, isEditable: .some(nil), needsPayment: .some(nil))
    }

    /// Whether another order has the same in the chosen fields, as far as a store keeps what it is sent.
    func agrees(with other: Order, in fields: Set<OrderUpdateField>) -> Bool {
        changes(fields) == other.changes(fields)
    }
}

extension OrderFeeLine {
    /// Nil for a line that the store has still to number.
    fileprivate var lineID: Int64? { id > 0 ? id : nil }
}

extension ShippingLine {
    /// Nil for a line that the store has still to number.
    fileprivate var lineID: Int64? { id > 0 ? id : nil }
}
