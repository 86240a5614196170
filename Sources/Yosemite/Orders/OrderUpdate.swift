internal import Networking
internal import Storage

/// Changes an order at the site, and keeps what the site makes of it.
///
/// With a preview the change is shown at once, and taken back exactly when the site refuses it. When nobody knows whether
/// it was done, nothing is taken back: the site is asked, and what it says is stored.
struct OrderUpdate: Sendable {
    let context: StoreContext
    let remote: OrdersRemote
    let shelf: OrderShelf
    let siteID: Int64
    let orderID: Int64
    /// What is sent.
    let changes: OrderChanges
    /// What is shown meanwhile; nil when nothing is.
    var preview: (@Sendable (Order) -> Order)?
    /// Whether an order is as it was to become.
    let isDone: @Sendable (Order) -> Bool

    private struct Shown: Sendable {
        let previous: Order
        let preview: Order
    }

    /// - Returns: the order as the site has it now.
    func carryOut() async throws(StoreError) -> Order {
        let shown = try show()
        let order: Order
        do throws(NetworkError) {
            order = try await remote.updateOrder(siteID: siteID, orderID: orderID, changes)
        } catch {
            guard error.mayHaveTakenEffect else { throw try refused(error, shown) }
            return try await settle(error)
        }
        try shelf.save([order])
        if let card = changes.giftCard { try GiftCard.expect(card, on: order) }
        return order
    }

    private func refused(_ error: NetworkError, _ shown: Shown?) throws(StoreError) -> StoreError {
        if let shown {
            try context.write { storage in
                // What has been stored since came from the site.
                let kept = try OrderShelf.order(siteID: siteID, orderID: orderID, in: storage)
                if kept == shown.preview { try storage.save(shown.previous) }
            }
        }
        if let card = GiftCardError(error) { return .giftCard(card) }
        return shelf.failure(error, siteID: siteID, orderID: orderID)
    }

    /// Nobody knows whether it was done: the site is to say.
    private func settle(_ doubt: NetworkError) async throws(StoreError) -> Order {
        let order: Order
        do throws(StoreError) {
            order = try await shelf.retrieve(siteID: siteID, orderID: orderID, from: remote)
        } catch {
            if case .notFound = error { throw error }
            try shelf.doubt(siteID: siteID, orderID: orderID)
            throw .network(doubt)
        }
        guard isDone(order) else { throw .network(doubt) }
        if let card = changes.giftCard { try GiftCard.expect(card, on: order) }
        return order
    }

    /// Nil when nothing is shown, or the order is not stored.
    private func show() throws(StoreError) -> Shown? {
        guard let preview else { return nil }
        return try context.write { storage in
            guard let previous = try OrderShelf.order(siteID: siteID, orderID: orderID, in: storage) else { return nil }
            let shown = preview(previous)
            try storage.save(shown)
            return Shown(previous: previous, preview: shown)
        }
    }
}
