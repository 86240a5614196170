internal import Networking
internal import Storage

/// Deletes an order: here at once, and at the site. When the site refuses, it is back as it was.
struct OrderDeletion: Sendable {
    let context: StoreContext
    let remote: OrdersRemote
    let shelf: OrderShelf
    let siteID: Int64
    let orderID: Int64
    /// Not into the trash.
    let isPermanent: Bool

    private struct Hidden: Sendable {
        let order: Order
        let notes: [OrderNote]
        let results: [SearchResult]
    }

    func carryOut() async throws(StoreError) {
        let hidden = try hide()
        let refusal: NetworkError
        do throws(NetworkError) {
            _ = try await remote.deleteOrder(siteID: siteID, orderID: orderID, force: isPermanent)
            return
        } catch {
            refusal = error
        }
        guard !Self.isGone(refusal) else {
            // It was deleted before, by somebody else.
            guard hidden == nil else { return }
            throw OrderShelf.missing(orderID)
        }
        guard refusal.mayHaveTakenEffect else {
            if let hidden { try restore(hidden, hidden.order) }
            throw StoreError(refusal)
        }
        // Nobody knows whether it was done: the site is to say.
        let order: Order
        do throws(NetworkError) {
            order = try await remote.loadOrder(siteID: siteID, orderID: orderID)
        } catch {
            if Self.isGone(error) { return }
            // Without a date of change it is asked for as soon as somebody wants it.
            if let hidden { try restore(hidden, hidden.order.copy(dateModifiedGMT: .some(nil))) }
            throw .network(refusal)
        }
        if order.status == .custom("trash") { return }
        if let hidden { try restore(hidden, order) }
        throw .network(refusal)
    }

    private static func isGone(_ error: NetworkError) -> Bool {
        guard case .service(let service) = error else { return false }
        return service.kind == .notFound || service.code == "woocommerce_rest_already_trashed"
    }

    private func hide() throws(StoreError) -> Hidden? {
        try context.write { storage in
            guard let order = try OrderShelf.order(siteID: siteID, orderID: orderID, in: storage) else { return nil }
            let notes = try storage.models(
                OrderNote.self, matching: { $0.siteID == siteID && $0.orderID == orderID })
            let results = try storage.models(
                SearchResult.self,
                matching: { $0.siteID == siteID && $0.entity == OrderShelf.entity && $0.elementID == orderID })
            try OrderShelf.delete(siteID: siteID, orderIDs: [orderID], in: storage)
            return Hidden(order: order, notes: notes, results: results)
        }
    }

    private func restore(_ hidden: Hidden, _ order: Order) throws(StoreError) {
        try context.write { storage in
            // Something that has come from the site since is newer.
            guard try OrderShelf.order(siteID: siteID, orderID: orderID, in: storage) == nil else { return }
            try storage.save(order)
            try storage.save(hidden.notes)
            try storage.save(hidden.results)
        }
    }
}
