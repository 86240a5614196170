public import Determinism
import Networking
import Storage
import Text

/// Creates an order exactly once.
///
/// WooCommerce has no idempotency keys: a repeated request creates a second order. The request is therefore never
/// repeated, and the order carries a key in its metadata. When the response is lost, the site's newest orders are
/// searched for that key; the site itself can't search metadata.
///
/// WooCommerce also saves the order before it looks at everything in it: an unknown product becomes a line without name
/// and price, and an unknown coupon leaves a draft behind. Products and coupons are therefore looked up first, and what
/// is left of a refused order is deleted.
struct OrderCreation: Sendable {
    let context: StoreContext
    let remote: OrdersRemote
    let repository: OrderRepository
    let siteID: Int64
    let order: OrderChanges
    let key: OrderCreationKey

    func carryOut() async throws(StoreError) -> Order {
        var wanted = order
        wanted.metaData[OrderCreationKey.metadataName] = key.description
        // The stores' term for an order made by a program and not in their pages.
        wanted.metaData["_wc_order_attribution_source_type"] = "mobile_app"
        let content = OrderContent(remote: CatalogRemote(remote.sender), siteID: siteID, order: order)
        try await content.check()
        let created: Order
        do throws(NetworkError) {
            created = try await remote.createOrder(siteID: siteID, wanted)
        } catch {
            guard error.mayHaveTakenEffect else {
                try await deleteRest(of: error)
                if let refused = GiftCardError(error) { throw .giftCard(refused) }
                throw StoreError(error)
            }
            guard let found = await find() else { throw .network(error) }
            created = found
        }
        if let missing = content.missingProduct(in: created) {
            try await delete(created, because: .notFound(entity: "product", id: String(missing)))
        }
        try repository.save([created])
        if let card = order.giftCard { try GiftCardCheck.expect(card, on: created) }
        return created
    }

    /// Searches the newest orders, twice with a pause, since the site may still be creating the order.
    private func find() async -> Order? {
        for pause in [Duration.zero, .seconds(3)] {
            do { try await context.time.sleep(for: pause) } catch { return nil }
            if let found = await newest(OrderFilter()) { return found }
        }
        return nil
    }

    /// Returns the order with the key among the newest of a filter.
    private func newest(_ filter: OrderFilter) async -> Order? {
        let page = try? await remote.loadOrders(siteID: siteID, filter: filter, page: PageRequest(size: 100))
        return page?.elements.first { order in
            order.metaData.contains {
                $0.key == OrderCreationKey.metadataName && $0.value?.textValue == key.description
            }
        }
    }

    /// Deletes what the site has saved of an order before it refused it.
    ///
    /// - Throws: ``StoreError/orderLeft(orderID:because:)`` when it can't be deleted.
    private func deleteRest(of refusal: NetworkError) async throws(StoreError) {
        // WordPress itself checks parameters before WooCommerce sees them.
        guard case .service(let service) = refusal, service.kind == .rejected || service.kind == .notFound,
            service.code?.hasPrefix("woocommerce_rest_") == true
        else { return }
        for statuses in [[], [.autoDraft]] as [[OrderStatusEnum]] {
            guard let rest = await newest(OrderFilter(statuses: statuses)) else { continue }
            try await delete(rest, because: nil, refusal)
        }
    }

    /// Deletes a new order that differs from what was requested.
    ///
    /// - Throws: `reason`, and ``StoreError/orderLeft(orderID:because:)`` when it can't be deleted.
    private func delete(
        _ rest: Order, because reason: StoreError?, _ refusal: NetworkError? = nil
    ) async throws(StoreError) {
        do throws(NetworkError) {
            _ = try await remote.deleteOrder(siteID: siteID, orderID: rest.id, force: true)
        } catch {
            let cause = reason?.description ?? refusal?.description ?? error.description
            throw .orderLeft(orderID: rest.id, because: cause)
        }
        if let reason { throw reason }
    }
}

/// The products and coupons of a new order.
struct OrderContent: Sendable {
    let remote: CatalogRemote
    let siteID: Int64
    let order: OrderChanges

    /// Looks up the products and coupons. Those that can't be looked up are taken as known.
    ///
    /// - Throws: ``StoreError/notFound(entity:id:)``
    func check() async throws(StoreError) {
        var seen: Set<Int64> = []
        for item in order.items ?? [] where seen.insert(item.variationID ?? item.productID).inserted {
            let exists = try await isKnown { () async throws(NetworkError) in
                try await remote.hasProduct(siteID: siteID, productID: item.productID, variationID: item.variationID)
            }
            guard exists else {
                throw .notFound(entity: "product", id: String(item.variationID ?? item.productID))
            }
        }
        for code in order.coupons ?? [] {
            let exists = try await isKnown { () async throws(NetworkError) in
                try await remote.hasCoupon(siteID: siteID, code: code)
            }
            guard exists else { throw .notFound(entity: "coupon", id: code) }
        }
    }

    /// Returns false when the site says that there is no such thing.
    ///
    /// - Throws: ``StoreError`` when the site can't be reached.
    private func isKnown(_ ask: () async throws(NetworkError) -> Bool) async throws(StoreError) -> Bool {
        do throws(NetworkError) { return try await ask() } catch {
            switch error {
            // The user may not look it up, or the site has changed this part of its interface.
            case .service, .undecodable, .unreadable: return true
            default: throw StoreError(error)
            }
        }
    }

    /// Returns the requested product for which the order has a line without a product.
    func missingProduct(in created: Order) -> Int64? {
        guard created.lineItems.contains(where: { ($0.productID ?? 0) == 0 && $0.name.isEmpty }) else { return nil }
        let found = Set(created.lineItems.flatMap { [$0.productID ?? 0, $0.variationID ?? 0] })
        return (order.items ?? []).map { $0.variationID ?? $0.productID }.first { !found.contains($0) }
    }
}

/// Identifies a requested order, so that it can be found when the response to its creation is lost.
public struct OrderCreationKey: Hashable, Sendable, CustomStringConvertible {
    /// The metadata name of the key. WordPress hides names that begin with an underscore from users.
    public static let metadataName = "_cardpresent_key"

    public let description: String

    /// Creates a new key of 128 random bits.
    public init(random: any RandomSource) {
        description = random.bytes(16).lowercaseHexadecimal
    }

    /// Creates a key from its text.
    public init(_ text: String) { description = text }
}

/// Deletes an order: here at once, and then at the site. If the site refuses, the order is restored.
struct OrderDeletion: Sendable {
    let context: StoreContext
    let remote: OrdersRemote
    let repository: OrderRepository
    let siteID: Int64
    let orderID: Int64
    /// Whether the order skips the trash.
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
            // Another user had deleted it before.
            guard hidden == nil else { return }
            throw OrderRepository.missing(orderID)
        }
        guard refusal.mayHaveTakenEffect else {
            if let hidden { try restore(hidden, hidden.order) }
            throw StoreError(refusal)
        }
        // The outcome is unknown, so ask the site.
        let order: Order
        do throws(NetworkError) {
            order = try await remote.loadOrder(siteID: siteID, orderID: orderID)
        } catch {
            if Self.isGone(error) { return }
            // An order without a modification date is fetched again the next time it is needed.
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
            guard let order = try OrderRepository.order(siteID: siteID, orderID: orderID, in: storage) else {
                return nil
            }
            let notes = try storage.models(
                OrderNote.self, matching: { $0.siteID == siteID && $0.orderID == orderID })
            let results = try storage.models(
                SearchResult.self,
                matching: { $0.siteID == siteID && $0.entity == OrderRepository.entity && $0.elementID == orderID })
            try OrderRepository.delete(siteID: siteID, orderIDs: [orderID], in: storage)
            return Hidden(order: order, notes: notes, results: results)
        }
    }

    private func restore(_ hidden: Hidden, _ order: Order) throws(StoreError) {
        try context.write { storage in
            // An order that the site has sent since is newer.
            guard try OrderRepository.order(siteID: siteID, orderID: orderID, in: storage) == nil else { return }
            try storage.save(order)
            try storage.save(hidden.notes)
            try storage.save(hidden.results)
        }
    }
}
