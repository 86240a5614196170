import Concurrency
import Determinism
import Money
import Networking
import Settings
import Storage

/// The orders of sites: fetches, stores and changes them.
public final class OrderStore: Store {
    private struct OrderName: Hashable, Sendable {
        let siteID: Int64
        let orderID: Int64
    }

    private let context: StoreContext
    private let remote: OrdersRemote
    private let repository: OrderRepository
    private let commands: any OrderCommandFactory
    private let running = RunningSynchronizations()
    private let changes = KeyedSerialQueue<OrderName>()

    /// Handles the order actions of the session that `context` belongs to.
    public convenience init(_ context: StoreContext) {
        self.init(context, commands: SiteOrderCommands(context))
    }

    /// - Parameters:
    ///   - context: the dependencies of the stores of a site.
    ///   - commands: makes the commands that read orders from the site and keep them.
    init(_ context: StoreContext, commands: any OrderCommandFactory) {
        (self.context, self.commands) = (context, commands)
        (remote, repository) = (OrdersRemote(context.sender), OrderRepository(context: context))
    }

    public func onAction(_ action: OrderAction) {
        switch action {
        case .searchOrders(let siteID, let keyword, let page, let onCompletion):
            searchOrders(siteID, keyword, page, onCompletion)
        case .fetchFilteredOrders(let siteID, let filter, let strategy, let size, let onCompletion):
            fetchFilteredOrders(siteID, filter, strategy, PageRequest(size: size), onCompletion)
        case .synchronizeOrders(let siteID, let filter, let page, let onCompletion):
            synchronizeOrders(siteID, filter, page, onCompletion)
        case .synchronizeAllOrders(let siteID, let filter, let isFull, let pageLimit, let onProgress, let onCompletion):
            let synchronization = OrderSynchronization(
                context: context, remote: remote, repository: repository, siteID: siteID, filter: filter,
                isFull: isFull,
                pageLimit: pageLimit)
            synchronizeAllOrders(synchronization, onProgress, onCompletion)
        case .cancelSynchronization(let siteID): running.cancel(siteID: siteID)
        case .retrieveOrder(let siteID, let orderID, let onCompletion): retrieveOrder(siteID, orderID, onCompletion)
        case .retrieveOrderRemotely(let siteID, let orderID, let onCompletion):
            retrieveOrderRemotely(siteID, orderID, onCompletion)
        case .checkIfStoreHasOrders(let siteID, let onCompletion): checkIfStoreHasOrders(siteID, onCompletion)
        case .loadOrders(let siteID, let query, let onCompletion):
            answer(onCompletion) { () throws(StoreError) in try repository.orders(siteID: siteID, query) }
        case .loadOrder(let siteID, let orderID, let onCompletion):
            answer(onCompletion) { () throws(StoreError) in
                guard let order = try repository.order(siteID: siteID, orderID: orderID) else {
                    throw OrderRepository.missing(orderID)
                }
                return order
            }
        case .loadSearchResults(let siteID, let keyword, let onCompletion):
            loadSearchResults(siteID, keyword, onCompletion)
        case .observeInsertedOrders(let siteID, let onCompletion):
            onCompletion(context.insertedOrders.stream(siteID: siteID))
        case .updateOrderStatus(let siteID, let orderID, let status, let onCompletion):
            update(
                siteID, orderID, OrderChanges(status: status), preview: { $0.showing(status) },
                isDone: { $0.status == status }, onCompletion)
        case .updateOrder(let order, let giftCard, let fields, let onCompletion):
            update(
                order.siteID, order.id, order.changes(fields, giftCard: giftCard),
                isDone: { order.agrees(with: $0, in: fields) }, onCompletion)
        case .updateOrderOptimistically(let order, let fields, let onCompletion):
            update(
                order.siteID, order.id, order.changes(fields), preview: { order.applying(fields, to: $0) },
                isDone: { order.agrees(with: $0, in: fields) }, onCompletion)
        case .createOrder(let siteID, let order, let key, let onCompletion):
            createOrder(siteID, order, key, onCompletion)
        case .createSimplePaymentsOrder(let siteID, let status, let amount, let isTaxed, let key, let onCompletion):
            let fee = OrderChanges.Fee(name: Self.simplePaymentName, total: amount, isTaxed: isTaxed)
            createOrder(siteID, OrderChanges(status: status, fees: [fee]), key, onCompletion)
        case .updateSimplePaymentsOrder(
            let siteID, let orderID, let feeID, let status, let amount, let name, let isTaxed, let note, let email,
            let onCompletion):
            let fee = OrderChanges.Fee(
                id: feeID, name: name ?? Self.simplePaymentName, total: amount, isTaxed: isTaxed)
            let changes = OrderChanges(status: status, customerNote: note, fees: [fee])
            updateSimplePaymentsOrder(siteID, orderID, changes, email: email, onCompletion)
        case .markOrderAsPaidLocally(let siteID, let orderID, let datePaid, let onCompletion):
            markOrderAsPaidLocally(siteID, orderID, datePaid, onCompletion)
        case .deleteOrder(let siteID, let orderID, let isPermanent, let onCompletion):
            let deletion = OrderDeletion(
                context: context, remote: remote, repository: repository, siteID: siteID, orderID: orderID,
                isPermanent: isPermanent)
            inTurn(siteID, orderID, onCompletion) { () async throws(StoreError) in try await deletion.carryOut() }
        case .resetStoredOrders(let siteID, let onCompletion):
            context.write(onCompletion) { try OrderRepository.deleteAll(siteID: siteID, in: $0) }
        }
    }

    private static let simplePaymentName = "Simple Payments"

    /// Reads or writes the database, and completes at once.
    private func answer<Value>(
        _ onCompletion: OrderAction.Completion<Value>, _ work: () throws(StoreError) -> Value
    ) {
        onCompletion(Result(catching: work))
    }

    /// Runs a change after earlier changes of the same order.
    private func inTurn<Value: Sendable>(
        _ siteID: Int64, _ orderID: Int64, _ onCompletion: @escaping OrderAction.Completion<Value>,
        _ steps: @escaping @Sendable () async throws(StoreError) -> Value
    ) {
        let changes = changes
        context.carryOut(nil, onCompletion) { () async throws(StoreError) in
            try await changes.run(OrderName(siteID: siteID, orderID: orderID), steps)
        }
    }
}

// MARK: Reading from the site

extension OrderStore {
    private func searchOrders(
        _ siteID: Int64, _ keyword: String, _ page: PageRequest,
        _ onCompletion: @escaping OrderAction.Completion<Page<Order>>
    ) {
        let key = CommandKey("orders.search", "site \(siteID)", keyword, "page \(page.number) of \(page.size)")
        let found = commands.searchOrders(siteID: siteID, keyword: keyword, page: page).followed { [commands] found in
            commands.save(found.elements, .found(keyword: keyword, siteID: siteID, page: page))
        }
        context.run(found.keyed(key), onCompletion)
    }

    private func loadSearchResults(
        _ siteID: Int64, _ keyword: String, _ onCompletion: OrderAction.Completion<[Order]>
    ) {
        context.read(onCompletion) { storage in
            let ids = try SearchResult.elements(
                of: OrderRepository.entity, keyword: keyword, siteID: siteID, in: storage)
            return try storage.models(Order.self, matching: { $0.siteID == siteID && $0.id.isIn(ids) })
                .ordered(by: ids, \.id)
        }
    }

    private func fetchFilteredOrders(
        _ siteID: Int64, _ filter: OrderFilter, _ strategy: OrdersWriteStrategy, _ page: PageRequest,
        _ onCompletion: @escaping OrderAction.Completion<FetchedOrders>
    ) {
        let key = CommandKey("orders.fetch", "site \(siteID)", "\(filter)", strategy.rawValue, "\(page.size)")
        let saving: OrderSaving? =
            switch strategy {
            case .save: .page
            case .deleteAllBeforeSaving: .replacingAll(siteID: siteID)
            case .doNotSave: nil
            }
        let fetched = commands.fetchOrders(siteID: siteID, filter: filter, page: page)
        let kept = saving.map { saving in
            fetched.followed { [commands] in commands.save($0.elements, saving) }
        }
        context.run((kept ?? fetched).timed(by: context.time).keyed(key), onCompletion)
    }

    private func synchronizeOrders(
        _ siteID: Int64, _ filter: OrderFilter, _ page: PageRequest,
        _ onCompletion: @escaping OrderAction.Completion<Page<Order>>
    ) {
        let key = CommandKey("orders.page", "site \(siteID)", "\(filter)", "page \(page.number) of \(page.size)")
        let fetched = commands.fetchOrders(siteID: siteID, filter: filter, page: page).followed { [commands] in
            commands.save($0.elements, .page)
        }
        context.run(fetched.keyed(key), onCompletion)
    }

    private func synchronizeAllOrders(
        _ synchronization: OrderSynchronization,
        _ onProgress: @escaping @Sendable (SynchronizationProgress) -> Void,
        _ onCompletion: @escaping OrderAction.Completion<SynchronizationReport>
    ) {
        let siteID = synchronization.siteID
        let key = CommandKey(
            "orders.all", "site \(siteID)", "\(synchronization.filter)", "full \(synchronization.isFull)",
            "pages \(synchronization.pageLimit ?? .max)")
        running.begin(siteID: siteID, onCompletion) { onEnd in
            context.carryOut(key, onEnd) { () async throws(StoreError) in
                try await synchronization.run(onProgress: onProgress)
            }
        }
    }

    private func retrieveOrder(
        _ siteID: Int64, _ orderID: Int64, _ onCompletion: @escaping OrderAction.Completion<Order>
    ) {
        let key = CommandKey("orders.retrieve", "site \(siteID)", "order \(orderID)")
        context.run(commands.refreshOrder(siteID: siteID, orderID: orderID).keyed(key), onCompletion)
    }

    private func retrieveOrderRemotely(
        _ siteID: Int64, _ orderID: Int64, _ onCompletion: @escaping OrderAction.Completion<Order>
    ) {
        let key = CommandKey("orders.retrieveRemotely", "site \(siteID)", "order \(orderID)")
        context.run(commands.retrieveOrder(siteID: siteID, orderID: orderID).keyed(key), onCompletion)
    }

    private func checkIfStoreHasOrders(_ siteID: Int64, _ onCompletion: @escaping OrderAction.Completion<Bool>) {
        let key = CommandKey("orders.any", "site \(siteID)")
        let asked = commands.fetchOrders(siteID: siteID, filter: OrderFilter(), page: PageRequest(size: 1)).map {
            page in
            // An order that can't be decoded counts too.
            !page.elements.isEmpty || !page.list.rejected.isEmpty
        }
        let known = commands.countStoredOrders(siteID: siteID).then { count in
            count == 0 ? asked : KnownCommand(true)
        }
        context.run(known.keyed(key), onCompletion)
    }
}

extension Command<Page<Order>, StoreError> {
    /// Returns a command that also measures how long this one takes.
    fileprivate func timed(by time: any TimeSource) -> any Command<FetchedOrders, StoreError> {
        ClosureCommand(key: key) { () throws(StoreError) in
            let start = time.reading()
            let page = try await execute()
            return FetchedOrders(page: page, elapsed: time.elapsed(since: start))
        }
    }
}

// MARK: Changing

extension OrderStore {
    private func update(
        _ siteID: Int64, _ orderID: Int64, _ changes: OrderChanges, preview: (@Sendable (Order) -> Order)? = nil,
        isDone: @escaping @Sendable (Order) -> Bool, _ onCompletion: @escaping OrderAction.Completion<Order>
    ) {
        let update = OrderUpdate(
            context: context, remote: remote, repository: repository, siteID: siteID, orderID: orderID,
            changes: changes,
            preview: context.features.isEnabled(.optimisticOrderUpdates) ? preview : nil, isDone: isDone)
        inTurn(siteID, orderID, onCompletion) { () async throws(StoreError) in try await update.carryOut() }
    }

    private func updateSimplePaymentsOrder(
        _ siteID: Int64, _ orderID: Int64, _ changes: OrderChanges, email: String?,
        _ onCompletion: @escaping OrderAction.Completion<Order>
    ) {
        inTurn(siteID, orderID, onCompletion) { [context, remote, repository] () async throws(StoreError) in
            var changes = changes
            if let email {
                // The API replaces the whole address, so send its other fields unchanged.
                let stored = try repository.order(siteID: siteID, orderID: orderID)
                let order: Order
                if let stored {
                    order = stored
                } else {
                    order = try await repository.retrieve(siteID: siteID, orderID: orderID)
                }
                changes.billing = (order.billing ?? Address()).copy(email: email)
            }
            let (status, fee) = (changes.status, changes.fees?.first)
            let update = OrderUpdate(
                context: context, remote: remote, repository: repository, siteID: siteID, orderID: orderID,
                changes: changes,
                isDone: { order in
                    order.status == status && order.feeLines.contains { $0.id == fee?.id && $0.total == fee?.total }
                })
            return try await update.carryOut()
        }
    }

    private func createOrder(
        _ siteID: Int64, _ order: OrderChanges, _ key: OrderCreationKey,
        _ onCompletion: @escaping OrderAction.Completion<Order>
    ) {
        let creation = OrderCreation(
            context: context, remote: remote, repository: repository, siteID: siteID, order: order, key: key)
        context.carryOut(CommandKey("orders.create", "site \(siteID)", key.description), onCompletion) {
            () async throws(StoreError) in try await creation.carryOut()
        }
    }

    private func markOrderAsPaidLocally(
        _ siteID: Int64, _ orderID: Int64, _ datePaid: Timestamp, _ onCompletion: OrderAction.Completion<Order>
    ) {
        context.write(onCompletion) { storage in
            guard let order = try OrderRepository.order(siteID: siteID, orderID: orderID, in: storage) else {
                throw OrderRepository.missing(orderID)
            }
            let paid = order.showing(.processing).copy(datePaidGMT: datePaid)
            try storage.save(paid)
            return paid
        }
    }
}
