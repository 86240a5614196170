internal import Determinism

extension Store {
    /// The lines that a product makes in an order: one, or one for a bundle and one for each of its parts.
    mutating func lines(for product: Product, quantity: Int64) -> [LineItem] {
        let price = product.price.times(quantity)
        var whole = LineItem(
            id: nextItem(), name: product.name, productID: product.id, quantity: quantity, sku: product.sku,
            taxClass: product.taxClass, needsProcessing: !product.isVirtual, subtotal: price, total: price)
        let parts = product.bundled.compactMap { id in products.first { $0.id == id } }.map { part in
            LineItem(
                id: nextItem(), name: part.name, productID: part.id, quantity: quantity, sku: part.sku,
                taxClass: part.taxClass, needsProcessing: !part.isVirtual, subtotal: .zero, total: .zero,
                bundledBy: whole.id)
        }
        whole.bundledItems = parts.map(\.id)
        return [whole] + parts
    }

    /// Whoever buys something is a customer, with an account or without.
    mutating func remember(_ order: StoredOrder, at now: Timestamp) {
        let isAccount = order.customerID > 0
        guard isAccount || !order.billing.email.isEmpty else { return }
        let index = customers.firstIndex { customer in
            isAccount
                ? customer.userID == order.customerID
                : customer.userID == 0 && customer.billing.email == order.billing.email
        }
        if let index {
            customers[index].lastActive = now
        } else {
            customers.append(
                Customer(
                    id: (customers.last?.id ?? 0) + 1, userID: 0, username: "", billing: order.billing,
                    shipping: order.shipping, registered: nil, lastActive: now))
        }
    }
}
