import Concurrency
public import Determinism
public import Networking
public import Storage

/// The stored orders. It saves them, except drafts, and reports new ones.
struct OrderRepository: Sendable {
    /// The name of orders in search results and synchronization marks.
    static let entity = "order"

    let context: StoreContext

    static func missing(_ orderID: Int64) -> StoreError { .notFound(entity: entity, id: String(orderID)) }

    // MARK: Saving

    /// Saves orders, together with other changes in the same transaction.
    ///
    /// `evenOverNewer`: whether stored orders with a later modification date are replaced too. A list may have been
    /// read before that modification.
    /// `alsoSaving`: gets the orders that may be stored.
    func save(
        _ orders: [Order], evenOverNewer: Bool = true, before: (any StorageType) throws -> Void = { _ in },
        alsoSaving: ([Order], any StorageType) throws -> Void = { _, _ in }
    ) throws(StoreError) {
        let new = try context.write { storage in
            try before(storage)
            let storable = orders.filter { $0.status != .autoDraft }
            let new = try Self.save(storable, evenOverNewer: evenOverNewer, in: storage)
            try alsoSaving(storable, storage)
            return new
        }
        context.insertedOrders.tell(new)
    }

    /// Saves orders, and returns those that were not stored before.
    private static func save(
        _ orders: [Order], evenOverNewer: Bool, in storage: any StorageType
    ) throws -> [Order] {
        var new: [Order] = []
        // A response has the orders of one site only.
        for (siteID, orders) in Dictionary(grouping: orders, by: \.siteID) {
            let ids = orders.map(\.id)
            let stored = Dictionary(
                try storage.records(
                    OrderRecord.self, matching: { $0.siteID == siteID && $0.id.isIn(ids) }, withChildren: false
                ).map { ($0.id, $0.dateModifiedGMT) }, uniquingKeysWith: { first, _ in first })
            try storage.save(
                orders.filter { order in
                    guard !evenOverNewer, let kept = stored[order.id] ?? nil, let modified = order.dateModifiedGMT
                    else {
                        return true
                    }
                    return modified >= kept
                })
            new += orders.filter { stored[$0.id] == nil }
        }
        return new
    }

    // MARK: Reading

    func order(siteID: Int64, orderID: Int64) throws(StoreError) -> Order? {
        try context.read { try Self.order(siteID: siteID, orderID: orderID, in: $0) }
    }

    static func order(siteID: Int64, orderID: Int64, in storage: any StorageType) throws -> Order? {
        try storage.model(Order.self, matching: { $0.siteID == siteID && $0.id == orderID })
    }

    func orders(siteID: Int64, _ query: OrderQuery) throws(StoreError) -> StoredOrders {
        try context.read { storage in
            let orders = try storage.models(
                Order.self, matching: { Self.predicate($0, siteID, query) },
                sortedBy: { [$0.dateCreatedGMT.descending, $0.id.descending] }, limit: query.limit)
            let mark = try storage.model(
                SynchronizationMark.self, matching: { $0.siteID == siteID && $0.entity == Self.entity })
            return StoredOrders(
                orders: orders,
                count: query.limit == nil
                    ? orders.count : try storage.count(Order.self, matching: { Self.predicate($0, siteID, query) }),
                synchronizedAt: mark?.synchronizedAt)
        }
    }

    // MARK: Forgetting

    /// Deletes orders with their notes and search results.
    static func delete(siteID: Int64, orderIDs: [Int64], in storage: any StorageType) throws {
        _ = try storage.delete(Order.self, matching: { $0.siteID == siteID && $0.id.isIn(orderIDs) })
        _ = try storage.delete(OrderNote.self, matching: { $0.siteID == siteID && $0.orderID.isIn(orderIDs) })
        _ = try storage.delete(
            SearchResult.self,
            matching: { $0.siteID == siteID && $0.entity == entity && $0.elementID.isIn(orderIDs) })
    }

    /// Deletes the orders of a site, or of all sites, with the synchronization mark.
    static func deleteAll(siteID: Int64?, in storage: any StorageType) throws {
        if let siteID {
            _ = try storage.delete(Order.self, matching: { $0.siteID == siteID })
            _ = try storage.delete(OrderNote.self, matching: { $0.siteID == siteID })
            _ = try storage.delete(SearchResult.self, matching: { $0.siteID == siteID && $0.entity == entity })
            _ = try storage.delete(SynchronizationMark.self, matching: { $0.siteID == siteID && $0.entity == entity })
        } else {
            _ = try storage.delete(Order.self)
            _ = try storage.delete(OrderNote.self)
            _ = try storage.delete(SearchResult.self, matching: { $0.entity == entity })
            _ = try storage.delete(SynchronizationMark.self, matching: { $0.entity == entity })
        }
    }

    // MARK: Asking the site

    /// Fetches and stores an order. An order that the site doesn't have is deleted here.
    func retrieve(siteID: Int64, orderID: Int64) async throws(StoreError) -> Order {
        try await SiteOrderCommands(context).retrieveOrder(siteID: siteID, orderID: orderID).execute()
    }

    /// Marks an order as uncertain: without a modification date it is fetched again the next time it is needed.
    func doubt(siteID: Int64, orderID: Int64) throws(StoreError) {
        try context.write { storage in
            guard let order = try Self.order(siteID: siteID, orderID: orderID, in: storage) else { return }
            try storage.save(order.copy(dateModifiedGMT: .some(nil)))
        }
    }

    /// Converts a network error about one order. An order that the site doesn't have is deleted here.
    func failure(_ error: NetworkError, siteID: Int64, orderID: Int64) -> StoreError {
        guard case .service(let service) = error, service.kind == .notFound else { return StoreError(error) }
        do throws(StoreError) {
            try context.write { try Self.delete(siteID: siteID, orderIDs: [orderID], in: $0) }
        } catch {
            return error
        }
        return Self.missing(orderID)
    }

    /// The condition of a query, on the columns of the order table.
    fileprivate static func predicate(
        _ order: OrderRecord.Columns, _ siteID: Int64, _ query: OrderQuery
    ) -> StoragePredicate {
        var predicate = order.siteID == siteID
        if let statuses = query.statuses { predicate = predicate && order.status.isIn(statuses) }
        if let since = query.since { predicate = predicate && order.dateCreatedGMT >= since }
        if let customerID = query.customerID { predicate = predicate && order.customerID == customerID }
        if let text = query.text {
            predicate =
                predicate
                && (order.number.contains(text) || order.billingFirstName.contains(text)
                    || order.billingLastName.contains(text) || order.billingCompany.contains(text)
                    || order.billingEmail.contains(text))
        }
        return predicate
    }
}

extension ListWatch<Order> {
    /// Follows the stored orders of a site that match a query, newest first.
    public init(
        ofSite siteID: Int64, matching query: OrderQuery, in storage: any StorageManagerType, time: any TimeSource,
        interval: Duration = .milliseconds(500)
    ) {
        self.init(
            ResultsRequest(
                matching: { OrderRepository.predicate($0, siteID, query) },
                sortedBy: { [$0.dateCreatedGMT.descending, $0.id.descending] }, limit: query.limit),
            in: storage, time: time, interval: interval)
    }
}

extension Sequence {
    /// Returns the elements in the order of `names`, without elements that are not named.
    func ordered<Name: Hashable>(by names: [Name], _ name: (Element) -> Name) -> [Element] {
        let byName = Dictionary(map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
        return names.compactMap { byName[$0] }
    }
}
