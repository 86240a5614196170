extension Store {
    /// What the owner is told of an event; nil when it is gone already.
    func subject(of event: StoreEvent) -> Notification.Subject? {
        switch event {
        case .newOrder(let id):
            guard let order = orders[id] else { return nil }
            return .order(
                id, total: StoreIdentity.symbol(order.currency) + order.totals.total.text,
                customer: order.billing.name)
        case .newReview(let id):
            guard let review = reviews.first(where: { $0.id == id }) else { return nil }
            let product = products.first { $0.id == review.productID }
            return .review(id, product: product?.name ?? "", author: review.author, text: review.text)
        }
    }
}
