import Money
import Networking
import Storage

/// Changes an order at the site, and stores the site's order.
///
/// With a preview the change is stored at once, and reverted when the site refuses it. If the outcome is unknown,
/// nothing is reverted: the site's order is fetched and stored.
struct OrderUpdate: Sendable {
    let context: StoreContext
    let remote: OrdersRemote
    let repository: OrderRepository
    let siteID: Int64
    let orderID: Int64
    /// The changes that are sent.
    let changes: OrderChanges
    /// The order to show meanwhile; nil for no preview.
    var preview: (@Sendable (Order) -> Order)?
    /// Whether an order has the changes.
    let isDone: @Sendable (Order) -> Bool

    private struct Shown: Sendable {
        let previous: Order
        let preview: Order
    }

    /// - Returns: the site's order.
    func carryOut() async throws(StoreError) -> Order {
        let shown = try show()
        let order: Order
        do throws(NetworkError) {
            order = try await remote.updateOrder(siteID: siteID, orderID: orderID, changes)
        } catch {
            guard error.mayHaveTakenEffect else { throw try refused(error, shown) }
            return try await resolve(error)
        }
        try repository.save([order])
        if let card = changes.giftCard { try GiftCardCheck.expect(card, on: order) }
        return order
    }

    private func refused(_ error: NetworkError, _ shown: Shown?) throws(StoreError) -> StoreError {
        if let shown {
            try context.write { storage in
                // An order stored since then came from the site.
                let kept = try OrderRepository.order(siteID: siteID, orderID: orderID, in: storage)
                if kept == shown.preview { try storage.save(shown.previous) }
            }
        }
        if let card = GiftCardError(error) { return .giftCard(card) }
        return repository.failure(error, siteID: siteID, orderID: orderID)
    }

    /// The outcome is unknown, so ask the site.
    private func resolve(_ doubt: NetworkError) async throws(StoreError) -> Order {
        let order: Order
        do throws(StoreError) {
            order = try await repository.retrieve(siteID: siteID, orderID: orderID)
        } catch {
            if case .notFound = error { throw error }
            try repository.doubt(siteID: siteID, orderID: orderID)
            throw .network(doubt)
        }
        guard isDone(order) else { throw .network(doubt) }
        if let card = changes.giftCard { try GiftCardCheck.expect(card, on: order) }
        return order
    }

    /// Nil when there is no preview, or the order is not stored.
    private func show() throws(StoreError) -> Shown? {
        guard let preview else { return nil }
        return try context.write { storage in
            guard let previous = try OrderRepository.order(siteID: siteID, orderID: orderID, in: storage) else {
                return nil
            }
            let shown = preview(previous)
            try storage.save(shown)
            return Shown(previous: previous, preview: shown)
        }
    }
}

/// A part of an order that can be changed by itself.
public enum OrderUpdateField: String, Hashable, Sendable, CaseIterable {
    case customerNote, shippingAddress, billingAddress, fees, shippingLines, couponLines, items, status, customerID
    case paymentMethodID, paymentMethodTitle
}

extension Order {
    /// Returns the changes that give the chosen fields of an order the values of this one.
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

    /// Parts of a bundle are left out: the store's plug-in creates them from the bundle's line.
    private var itemChanges: [OrderChanges.Item] {
        lineItems.filter { $0.parent == nil }.map { item in
            OrderChanges.Item(
                id: item.id > 0 ? item.id : nil, productID: item.productID ?? 0,
                variationID: item.variationID.flatMap { $0 > 0 ? $0 : nil }, quantity: item.quantity,
                subtotal: item.quantity == .zero ? nil : item.subtotal, total: item.quantity == .zero ? nil : item.total
            )
        }
    }

    /// Returns another order with the chosen fields of this one.
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

    /// Returns the order with another status. Fields that depend on the status are unknown then.
    func showing(_ status: OrderStatusEnum) -> Order {
        copy(status: status, isEditable: .some(nil), needsPayment: .some(nil))
    }

    /// Whether another order has the same values in the chosen fields.
    func agrees(with other: Order, in fields: Set<OrderUpdateField>) -> Bool {
        changes(fields) == other.changes(fields)
    }
}

extension OrderFeeLine {
    /// Nil for a line without a number from the store.
    fileprivate var lineID: Int64? { id > 0 ? id : nil }
}

extension ShippingLine {
    /// Nil for a line without a number from the store.
    fileprivate var lineID: Int64? { id > 0 ? id : nil }
}

/// Checks for a gift card that was sent with an order.
enum GiftCardCheck {
    /// A store without the plug-in for gift cards accepts the order and ignores the card.
    static func expect(_ code: String, on order: Order) throws(StoreError) {
        guard order.giftCards.contains(where: { $0.code.lowercased() == code.lowercased() }) else {
            throw .giftCard(.notApplied(orderID: order.id))
        }
    }
}

/// The reason why a gift card does not pay for an order.
public enum GiftCardError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store refuses the card, with its own text. Nothing was changed.
    case cannotApply(String)
    /// The store can't parse the code. Nothing was changed.
    case invalid(String)
    /// The order was saved without the card: the store has no gift cards.
    case notApplied(orderID: Int64)

    public var description: String {
        switch self {
        case .cannotApply(let reason): "the gift card cannot be applied: \(reason)"
        case .invalid(let reason): "this is not a gift card code: \(reason)"
        case .notApplied(let orderID):
            "order \(orderID) was saved without the gift card: the store has no gift card plug-in"
        }
    }

    /// Nil for other errors.
    init?(_ error: NetworkError) {
        guard case .service(let service) = error else { return nil }
        switch service.code {
        case "woocommerce_rest_gift_card_cannot_apply": self = .cannotApply(service.message ?? "no reason given")
        case "woocommerce_rest_gift_card_cannot_parse_data": self = .invalid(service.message ?? "no reason given")
        default: return nil
        }
    }
}
