import Determinism
import Money
import Text

/// Changes an order as requested.
struct OrderEditor: Sendable {
    let parameters: SiteParameters
    let now: Timestamp
    let isNew: Bool

    private static let mostLines = 100

    /// Applies the changes. The caller stores the order, or restores the store if this throws.
    ///
    /// - Throws: the error of WooCommerce for an invalid request.
    func apply(to order: inout StoredOrder, in store: inout SiteStore) throws(SiteError) {
        order.modified = now
        if let currency = parameters.text("currency"), !currency.isEmpty {
            guard (try? Currency(code: currency)) != nil else {
                throw .invalidParameter("currency", "currency is not one of AED, AFN, ALL, …")
            }
            order.currency = currency
        }
        if let customer = try parameters.integer("customer_id") {
            guard customer == 0 || store.customers.contains(where: { $0.userID == customer }) else {
                throw SiteError(400, "woocommerce_rest_invalid_customer_id", "Customer ID is invalid.")
            }
            order.customerID = customer
        }
        if let note = parameters.text("customer_note") { order.customerNote = note }
        if let billing = parameters["billing"] {
            order.billing.change(billing)
            guard order.billing.email.isEmpty || PostalAddress.isEmail(order.billing.email) else {
                throw .invalidParameter("billing", "Invalid email address.")
            }
        }
        if let shipping = parameters["shipping"] { order.shipping.change(shipping) }
        if let method = parameters.text("payment_method") { order.paymentMethod = method }
        if let title = parameters.text("payment_method_title") { order.paymentMethodTitle = title }
        if let transaction = parameters.text("transaction_id") { order.transactionID = transaction }
        try changeItems(&order, &store)
        try changeFees(&order, &store)
        try changeShipping(&order, &store)
        try changeCoupons(&order, &store)
        changeMeta(&order, &store)
        guard order.items.count + order.fees.count + order.shippingLines.count <= 3 * Self.mostLines else {
            throw .invalidParameter("line_items", "The order has too many lines.")
        }
        store.calculate(&order)
        try changeGiftCards(&order, &store)
        if isNew { store.orders.add(order) }
        try changeStatus(&order, &store)
        store.remember(order, at: now)
    }

    private func changeStatus(_ order: inout StoredOrder, _ store: inout SiteStore) throws(SiteError) {
        if let word = parameters.text("status") {
            guard let state = OrderState(rawValue: word), state != .trash else {
                throw .invalidParameter(
                    "status", "status is not one of \(OrderState.listed.map(\.rawValue).joined(separator: ", ")).")
            }
            if isNew, state != .pending, !state.isPaid {
                order.status = state
            } else {
                store.move(&order, to: state, at: now)
            }
        }
        // Like WooCommerce: an existing order is paid only if it needs a payment, so not while it is on hold.
        if try parameters.flag("set_paid") ?? false, isNew || order.needsPayment {
            store.move(&order, to: order.needsProcessing ? .processing : .completed, at: now)
        }
    }

    /// Returns the objects of a list of lines.
    private func lines(_ name: String) throws(SiteError) -> [JSONValue]? {
        guard let node = parameters[name], node != .null else { return nil }
        guard let lines = node.elements, lines.count <= Self.mostLines else {
            throw .invalidParameter(name, "\(name) is not of type array.")
        }
        for line in lines {
            guard case .object = line else {
                throw .invalidParameter(name, "\(name)[0] is not of type object.")
            }
        }
        return lines
    }

    private func amount(_ line: JSONValue, _ name: String) throws(SiteError) -> Amount? {
        guard let node = line[name], node != .null, node != "" else { return nil }
        guard let amount = node.plainText.flatMap({ Amount($0) }) else {
            throw .invalidParameter(name, "\(name) is not a number.")
        }
        return amount
    }

    private func number(_ line: JSONValue, _ name: String) throws(SiteError) -> Int64? {
        guard let node = line[name], node != .null, node != "" else { return nil }
        guard let text = node.plainText, let decimal = ExactDecimal(text), let number = Self.whole(decimal) else {
            throw .invalidParameter(name, "\(name) is not of type integer.")
        }
        return number
    }

    private static func whole(_ decimal: ExactDecimal) -> Int64? {
        var (coefficient, scale) = (decimal.coefficient, decimal.scale)
        while scale > 0 {
            guard coefficient % 10 == 0 else { return nil }
            (coefficient, scale) = (coefficient / 10, scale - 1)
        }
        return Int64(exactly: coefficient)
    }

    // MARK: Lines

    private func changeItems(_ order: inout StoredOrder, _ store: inout SiteStore) throws(SiteError) {
        for line in try lines("line_items") ?? [] {
            let quantity = try number(line, "quantity")
            if let quantity, !(0...LineItem.mostPieces).contains(quantity) {
                throw .invalidParameter("quantity", "quantity must be between 0 and \(LineItem.mostPieces).")
            }
            guard let id = try number(line, "id") else {
                order.items += try newItems(line, quantity ?? 1, &store)
                continue
            }
            guard let index = order.items.firstIndex(where: { $0.id == id }) else {
                throw SiteError(
                    400, "woocommerce_rest_invalid_item_id", "Order item ID provided is not associated with order.")
            }
            // A line without a product or with quantity 0 is removed.
            if quantity == 0 || line["product_id"] == .null {
                order.items.removeAll { $0.id == id || $0.bundledBy == id }
                continue
            }
            var item = order.items[index]
            if let quantity, quantity != item.quantity {
                item.subtotal = item.subtotal.part(quantity, of: item.quantity)
                item.total = item.total.part(quantity, of: item.quantity)
                item.quantity = quantity
            }
            item.subtotal = try amount(line, "subtotal") ?? item.subtotal
            item.total = try amount(line, "total") ?? item.total
            order.items[index] = item
        }
    }

    private func newItems(_ line: JSONValue, _ quantity: Int64, _ store: inout SiteStore) throws(SiteError)
        -> [LineItem]
    {
        let wanted = try number(line, "product_id") ?? 0
        let sku = line["sku"]?.plainText ?? ""
        guard wanted != 0 || !sku.isEmpty else {
            throw SiteError(
                400, "woocommerce_rest_required_product_reference", "Product ID or SKU is required.")
        }
        guard
            let product = store.products.first(where: {
                $0.isListed && (wanted == 0 ? $0.sku == sku : $0.id == wanted)
            })
        else {
            throw SiteError(400, "order_item_product_invalid_product_id", "Invalid product ID")
        }
        guard quantity > 0 else { return [] }
        var items = store.lines(for: product, quantity: quantity)
        if let subtotal = try amount(line, "subtotal") {
            (items[0].subtotal, items[0].total) = (subtotal, subtotal)
        }
        items[0].total = try amount(line, "total") ?? items[0].total
        return items
    }

    private func changeFees(_ order: inout StoredOrder, _ store: inout SiteStore) throws(SiteError) {
        for line in try lines("fee_lines") ?? [] {
            var fee: FeeLine
            if let id = try number(line, "id") {
                guard let known = order.fees.first(where: { $0.id == id }) else {
                    throw SiteError(
                        400, "woocommerce_rest_invalid_item_id",
                        "Order item ID provided is not associated with order.")
                }
                fee = known
            } else {
                fee = FeeLine(id: store.itemIDs.next(), name: "Fee", taxClass: "", isTaxed: true, total: .zero)
            }
            order.fees.removeAll { $0.id == fee.id }
            // A fee without a name is removed.
            if line["name"] == .null { continue }
            if let name = line["name"]?.plainText { fee.name = name }
            if let status = line["tax_status"]?.plainText { fee.isTaxed = status == "taxable" }
            if let taxClass = line["tax_class"]?.plainText { fee.taxClass = taxClass }
            fee.total = try amount(line, "total") ?? fee.total
            order.fees.append(fee)
        }
        order.fees.sort { $0.id < $1.id }
    }

    private func changeShipping(_ order: inout StoredOrder, _ store: inout SiteStore) throws(SiteError) {
        for line in try lines("shipping_lines") ?? [] {
            var charge: ShippingCharge
            if let id = try number(line, "id") {
                guard let known = order.shippingLines.first(where: { $0.id == id }) else {
                    throw SiteError(
                        400, "woocommerce_rest_invalid_item_id",
                        "Order item ID provided is not associated with order.")
                }
                charge = known
            } else {
                charge = ShippingCharge(
                    id: store.itemIDs.next(), methodID: "other", methodTitle: "Shipping", total: .zero)
            }
            order.shippingLines.removeAll { $0.id == charge.id }
            // A line without a method is removed.
            if line["method_id"] == .null, line["id"] != nil { continue }
            if let method = line["method_id"]?.plainText { charge.methodID = method }
            if let title = line["method_title"]?.plainText { charge.methodTitle = title }
            charge.total = try amount(line, "total") ?? charge.total
            order.shippingLines.append(charge)
        }
        order.shippingLines.sort { $0.id < $1.id }
    }

    private func changeCoupons(_ order: inout StoredOrder, _ store: inout SiteStore) throws(SiteError) {
        guard let lines = try lines("coupon_lines") else { return }
        var uses: [CouponUse] = []
        for line in lines {
            guard let code = line["code"]?.plainText?.lowercased(), !code.isEmpty else {
                throw SiteError(400, "woocommerce_rest_invalid_coupon", "Coupon code is required.")
            }
            guard store.coupons.contains(where: { $0.code == code && $0.isListed }) else {
                throw SiteError(
                    400, "woocommerce_rest_invalid_coupon",
                    "Coupon &quot;\(code.escaped(\.markupReference))&quot; does not exist!")
            }
            guard !uses.contains(where: { $0.code == code }) else { continue }
            let known = order.coupons.first { $0.code == code }
            uses.append(CouponUse(id: known?.id ?? store.itemIDs.next(), code: code))
        }
        order.coupons = uses
        store.calculator.applyCoupons(&order)
    }

    private func changeMeta(_ order: inout StoredOrder, _ store: inout SiteStore) {
        for entry in parameters["meta_data"]?.elements?.prefix(Self.mostLines) ?? [] {
            guard let key = entry["key"]?.plainText, !key.isEmpty else { continue }
            let value = entry["value"] ?? .null
            let index = order.meta.firstIndex { known in
                entry["id"]?.plainText.flatMap { Int64($0) }.map { $0 == known.id } ?? (known.key == key)
            }
            switch (index, value) {
            case (let index?, .null): order.meta.remove(at: index)
            case (let index?, _): order.meta[index].value = value
            case (nil, .null): break
            case (nil, _): order.meta.append(MetaEntry(id: store.metaIDs.next(), key: key, value: value))
            }
        }
    }

    /// Runs after the totals are known, because a gift card cannot pay more than the total.
    private func changeGiftCards(_ order: inout StoredOrder, _ store: inout SiteStore) throws(SiteError) {
        guard let lines = try lines("gift_cards"), !lines.isEmpty else { return }
        for line in lines {
            let code = line["code"]?.plainText ?? ""
            guard let index = store.giftCards.firstIndex(where: { $0.code == code }) else {
                throw SiteError(
                    400, "woocommerce_rest_gift_card_cannot_parse_data", "Gift card code \(code) not found.")
            }
            guard !order.giftCards.contains(where: { $0.code == code }) else { continue }
            let card = store.giftCards[index]
            let wanted = try amount(line, "amount") ?? min(card.balance, order.totals.total)
            guard wanted > .zero, wanted <= order.totals.total, wanted <= card.balance else {
                throw SiteError(
                    400, "woocommerce_rest_gift_card_cannot_apply",
                    "Requested amount for gift card code \(code) exceeded the order total.")
            }
            store.giftCards[index].balance -= wanted
            order.giftCards.append(GiftCardUse(id: card.id, code: code, amount: wanted))
            store.calculate(&order)
        }
    }
}
