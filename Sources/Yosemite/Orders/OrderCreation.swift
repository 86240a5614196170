internal import Determinism
internal import Networking

/// Creates an order, once.
///
/// WooCommerce knows no idempotency keys: a request that is repeated creates a second order. So it is sent without one,
/// which keeps it from being repeated, and the order carries a key in its metadata instead. When the answer is lost, the
/// site's newest orders are searched for that key; the site cannot search metadata by itself.
struct OrderCreation: Sendable {
    let context: StoreContext
    let remote: OrdersRemote
    let shelf: OrderShelf
    let siteID: Int64
    let order: OrderChanges
    let key: OrderCreationKey

    func carryOut() async throws(StoreError) -> Order {
        var wanted = order
        wanted.metaData[OrderCreationKey.metadataName] = key.description
        // What stores call an order that was made by a program and not in their pages.
        wanted.metaData["_wc_order_attribution_source_type"] = "mobile_app"
        let created: Order
        do throws(NetworkError) {
            created = try await remote.createOrder(siteID: siteID, wanted)
        } catch {
            if let refused = GiftCardError(error) { throw .giftCard(refused) }
            guard error.mayHaveTakenEffect else { throw StoreError(error) }
            guard let found = await find() else { throw .network(error) }
            created = found
        }
        try shelf.save([created])
        if let card = order.giftCard { try GiftCard.expect(card, on: created) }
        return created
    }

    /// Looks among the newest orders, and once more after a moment: the site may still be busy with it.
    private func find() async -> Order? {
        for pause in [Duration.zero, .seconds(3)] {
            do { try await context.time.sleep(for: pause) } catch { return nil }
            let newest: Page<Order>
            do throws(NetworkError) {
                newest = try await remote.loadOrders(siteID: siteID, page: PageRequest(size: 100))
            } catch {
                continue
            }
            let found = newest.elements.first { order in
                order.metaData.contains {
                    $0.key == OrderCreationKey.metadataName && $0.value?.textValue == key.description
                }
            }
            if let found { return found }
        }
        return nil
    }
}
