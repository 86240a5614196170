import Concurrency
import Determinism
import Networking
import Storage

/// Makes the commands with which stores read the orders of a site and keep them.
///
/// Each command does one thing, and stores compose them. A store knows only the types of their values and errors, so
/// that a test can replace each command.
protocol OrderCommandFactory: Sendable {
    // MARK: At the site

    func fetchOrders(
        siteID: Int64, filter: OrderFilter, page: PageRequest
    ) -> any Command<Page<Order>, StoreError>
    func searchOrders(
        siteID: Int64, keyword: String, page: PageRequest
    ) -> any Command<Page<Order>, StoreError>
    func fetchOrder(siteID: Int64, orderID: Int64) -> any Command<Order, StoreError>
    /// Fetches only the date of the last change; nil when it is missing or can't be decoded.
    func fetchDateModified(siteID: Int64, orderID: Int64) -> any Command<Timestamp?, StoreError>
    func fetchNotes(siteID: Int64, orderID: Int64) -> any Command<ElementList<OrderNote>, StoreError>
    /// Creates a note. It is not known whether it exists after an error that may have taken effect.
    func addNote(_ note: NewOrderNote) -> any Command<OrderNote, StoreError>

    // MARK: In the database

    func storedOrder(siteID: Int64, orderID: Int64) -> any Command<Order?, StoreError>
    func storedNotes(siteID: Int64, orderID: Int64) -> any Command<[OrderNote], StoreError>
    func countStoredOrders(siteID: Int64) -> any Command<Int, StoreError>
    /// Saves orders, except drafts, in one transaction, and reports new ones.
    func save(_ orders: [Order], _ saving: OrderSaving) -> any Command<Void, StoreError>
    /// Deletes an order with its notes and its places in search results.
    func forgetOrder(siteID: Int64, orderID: Int64) -> any Command<Void, StoreError>
}

/// The treatment of stored orders when others are saved.
enum OrderSaving: Hashable, Sendable {
    /// The orders replace stored ones that are not newer: those of a list may have been read before a later change.
    case page
    /// The orders replace stored ones.
    case latest
    /// The orders replace all stored ones of the site.
    case replacingAll(siteID: Int64)
    /// As ``page``; the orders are also stored as the result of a search.
    case found(keyword: String, siteID: Int64, page: PageRequest)
    /// As ``page``, with notes on an order; `isWhole` when they are all of them, so that others are deleted.
    case notes([OrderNote], siteID: Int64, orderID: Int64, isWhole: Bool)
}

/// A note to add to an order.
struct NewOrderNote: Hashable, Sendable {
    let siteID: Int64
    let orderID: Int64
    /// Whether the customer gets it, by e-mail.
    let isCustomerNote: Bool
    let text: String
}

/// The commands of a site's session.
struct SiteOrderCommands: OrderCommandFactory {
    private let context: StoreContext
    private let remote: OrdersRemote
    private let repository: OrderRepository

    init(_ context: StoreContext) {
        self.context = context
        (remote, repository) = (OrdersRemote(context.sender), OrderRepository(context: context))
    }

    func fetchOrders(
        siteID: Int64, filter: OrderFilter, page: PageRequest
    ) -> any Command<Page<Order>, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in
            try await remote.loadOrders(siteID: siteID, filter: filter, page: page)
        }
    }

    func searchOrders(
        siteID: Int64, keyword: String, page: PageRequest
    ) -> any Command<Page<Order>, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in
            try await remote.searchOrders(siteID: siteID, keyword: keyword, page: page)
        }
    }

    func fetchOrder(siteID: Int64, orderID: Int64) -> any Command<Order, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in
            try await remote.loadOrder(siteID: siteID, orderID: orderID)
        }
    }

    func fetchDateModified(siteID: Int64, orderID: Int64) -> any Command<Timestamp?, StoreError> {
        HTTPCommand<Timestamp?> { [remote] () async throws(NetworkError) in
            do throws(NetworkError) {
                return try await remote.loadDateModified(siteID: siteID, orderID: orderID)
            } catch {
                switch error {
                case .undecodable, .unreadable: return nil
                default: throw error
                }
            }
        }
    }

    func fetchNotes(siteID: Int64, orderID: Int64) -> any Command<ElementList<OrderNote>, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in
            try await remote.loadOrderNotes(siteID: siteID, orderID: orderID)
        }
    }

    func addNote(_ note: NewOrderNote) -> any Command<OrderNote, StoreError> {
        HTTPCommand { [remote] () async throws(NetworkError) in
            try await remote.addOrderNote(
                siteID: note.siteID, orderID: note.orderID, isCustomerNote: note.isCustomerNote, note: note.text)
        }
    }

    func storedOrder(siteID: Int64, orderID: Int64) -> any Command<Order?, StoreError> {
        ClosureCommand { [repository] () throws(StoreError) in
            try repository.order(siteID: siteID, orderID: orderID)
        }
    }

    func storedNotes(siteID: Int64, orderID: Int64) -> any Command<[OrderNote], StoreError> {
        ClosureCommand { [context] () throws(StoreError) in
            try context.read { storage in
                try storage.models(OrderNote.self, matching: { $0.siteID == siteID && $0.orderID == orderID })
            }
        }
    }

    func countStoredOrders(siteID: Int64) -> any Command<Int, StoreError> {
        ClosureCommand { [context] () throws(StoreError) in
            try context.read { try $0.count(Order.self, matching: { $0.siteID == siteID }) }
        }
    }

    func save(_ orders: [Order], _ saving: OrderSaving) -> any Command<Void, StoreError> {
        ClosureCommand { [repository] () throws(StoreError) in
            switch saving {
            case .page: try repository.save(orders, evenOverNewer: false)
            case .latest: try repository.save(orders)
            case .replacingAll(let siteID):
                try repository.save(orders, before: { try OrderRepository.deleteAll(siteID: siteID, in: $0) })
            case .found(let keyword, let siteID, let page):
                try repository.save(
                    orders, evenOverNewer: false,
                    alsoSaving: { orders, storage in
                        try SearchResult.save(
                            orders.map(\.id), of: OrderRepository.entity, keyword: keyword, siteID: siteID,
                            page: page, in: storage)
                    })
            case .notes(let notes, let siteID, let orderID, let isWhole):
                try repository.save(
                    orders, evenOverNewer: false,
                    alsoSaving: { _, storage in
                        if isWhole {
                            _ = try storage.delete(
                                OrderNote.self, matching: { $0.siteID == siteID && $0.orderID == orderID })
                        }
                        try storage.save(notes)
                    })
            }
        }
    }

    func forgetOrder(siteID: Int64, orderID: Int64) -> any Command<Void, StoreError> {
        StoreCommand(in: context.storage) {
            try OrderRepository.delete(siteID: siteID, orderIDs: [orderID], in: $0)
        }
    }
}

extension OrderCommandFactory {
    /// Fetches and saves an order. An order that the site doesn't have is deleted here.
    func retrieveOrder(siteID: Int64, orderID: Int64) -> any Command<Order, StoreError> {
        forgetting(
            siteID: siteID, orderID: orderID,
            whenMissing: fetchOrder(siteID: siteID, orderID: orderID).followed { save([$0], .latest) })
    }

    /// Returns the stored order if the site has not changed it, and retrieves it otherwise.
    func refreshOrder(siteID: Int64, orderID: Int64) -> any Command<Order, StoreError> {
        storedOrder(siteID: siteID, orderID: orderID).then { stored in
            let whole = retrieveOrder(siteID: siteID, orderID: orderID)
            guard let stored, let modified = stored.dateModifiedGMT else { return whole }
            let now = fetchDateModified(siteID: siteID, orderID: orderID)
            return forgetting(siteID: siteID, orderID: orderID, whenMissing: now).then { now in
                now == modified ? KnownCommand(stored) : whole
            }
        }
    }

    /// Returns the command about one order that deletes the order here when the site doesn't have it.
    func forgetting<Value: Sendable>(
        siteID: Int64, orderID: Int64, whenMissing command: any Command<Value, StoreError>
    ) -> any Command<Value, StoreError> {
        command.forgetting(OrderRepository.missing(orderID)) { forgetOrder(siteID: siteID, orderID: orderID) }
    }
}
