import ArgumentParser
import Determinism
import Networking
import Storage
import Yosemite

/// `orders watch`
struct WatchOrders: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show orders live, until you press Ctrl-C.",
        discussion: """
            EXAMPLES:
              cardpresent orders watch
              cardpresent orders watch --status pending --status processing --every 10s
              cardpresent orders watch 1042 --json

            On a terminal, redraws a table of the newest orders whenever one of them changes. With --json, each line \
            is a JSON object with the keys of 'orders list --json' and "change": first the stored orders ("present"), \
            then each change ("inserted", "updated", "deleted"). Reports an order that --status no longer matches once \
            as "updated".

            Syncs orders at the start and then every 30 seconds; --every sets another interval, and --no-sync shows \
            only changes made on this machine. Changes by other cardpresent processes appear within a second. Exits \
            with 0 on Ctrl-C and SIGTERM.
            """)

    @Argument(help: ArgumentHelp("ID of a single order to watch.", valueName: "order"))
    var order: OrderName?
    @OptionGroup var status: OrderStatusOptions
    @OptionGroup var list: WatchListOptions
    @Option(help: ArgumentHelp("Interval between syncs, such as 30s or 5m.", valueName: "interval"))
    var every = Interval.standard
    @Flag(help: "Show only changes made on this machine, without contacting the store.")
    var noSync = false
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard order == nil || (status.wanted == nil && list.limit == nil) else {
            throw ValidationError("--status and --limit cannot be used with a single order")
        }
    }

    func execute() async throws {
        let time = SystemTimeSource()
        let (shop, storage) = try options.till.shopWithStorage(for: Self.databaseUse)
        let display = WatchDisplay<Order>(of: "orders", isJSON: output.json)
        let lists = OrderListStore(storage: storage, time: time)
        try await EndlessWork.run { [self] in
            let updates: WatchUpdate<Order>.Stream
            if let order {
                let known = noSync ? try await shop.storedOrder(order) : try await shop.refreshedOrder(order)
                updates = EntityWatch(known, in: storage, time: time).updates()
            } else {
                let orders = OrderQuery(statuses: status.wanted, limit: list.count)
                updates = lists.updates(of: OrderListQuery(siteID: shop.siteID, orders: orders))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await display.show(updates) }
                if !noSync {
                    group.addTask { try await synchronize(shop, time) { display.show(problem: $0) } }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    /// Syncs at each interval. Retries at the next interval if the store cannot be reached.
    private func synchronize(
        _ shop: Shop, _ time: any TimeSource, _ report: @Sendable (String?) -> Void
    ) async throws {
        // The single order has just been read from the store.
        if order != nil { try await time.sleep(for: every.duration) }
        while !Task.isCancelled {
            do throws(CommandFailure) {
                if let order {
                    _ = try await shop.refreshedOrder(order)
                } else {
                    _ =
                        try await shop.value {
                            OrderAction.synchronizeAllOrders(
                                siteID: shop.siteID, filter: OrderFilter(), isFull: false, pageLimit: nil,
                                onProgress: { _ in }, onCompletion: $0)
                        } as SynchronizationReport
                }
                report(nil)
            } catch {
                // Refused credentials end the session, so trying again would not help. A deleted order may come back.
                guard shop.stores.isAuthenticated else { throw error }
                report("cannot sync orders: \(error.message); next try in \(every.defaultValueDescription)")
            }
            try await time.sleep(for: every.duration)
        }
    }
}

extension TillOptions {
    /// Opens the store together with its database.
    ///
    /// - Parameter use: What the command does with the database.
    /// - Returns: The store and its database.
    /// - Throws: `CommandFailure`
    fileprivate func shopWithStorage(for use: DatabaseUse) throws(CommandFailure) -> (Shop, any StorageManagerType) {
        let composition = try storeEnvironment().signedInComposition(for: use)
        return (try Shop(stores: composition.stores()), composition.storage)
    }
}
