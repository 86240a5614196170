import ArgumentParser
import Determinism
import Networking
import Yosemite

/// `orders`
struct OrdersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders", abstract: "List, sync, create, and edit orders.",
        discussion: """
            EXAMPLES:
              cardpresent orders sync
              cardpresent orders list --status processing
              cardpresent orders show 123

            Commands take order IDs. A plug-in may show customers a different order number: 'orders list --search \
            NUMBER' finds the ID. Amounts are exact, in the order's currency.
            """,
        subcommands: [
            ListOrders.self, ShowOrder.self, WatchOrders.self, SyncOrders.self, SearchOrders.self, CreateOrder.self,
            AddOrderNote.self,
            ListOrderNotes.self, ListOrderRefunds.self, OrderStatusCommand.self,
        ])
}

/// `orders list`
struct ListOrders: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List stored orders, newest first.",
        discussion: """
            EXAMPLES:
              cardpresent orders list --status processing
              cardpresent orders list --status processing --status on-hold --remember
              cardpresent orders list --all

            Works offline. 'cardpresent orders sync' updates the local copy. --remember makes a filter the one of this \
            store, used without filter options until '--all --remember' forgets it. With --json only the filter on the \
            command line counts.
            """)

    @OptionGroup var filter: OrderFilterOptions
    @Option(
        help: ArgumentHelp(
            "Only orders with this text in the number, or in the billing name, company, or email address.",
            valueName: "text"))
    var search: String?
    @Option(help: ArgumentHelp("Only orders of this customer ID; 0 for guests.", valueName: "id"))
    var customer: Int64?
    @Flag(help: "List all orders and ignore the remembered filter.")
    var all = false
    @Flag(help: "Use this filter from now on when none is given.")
    var remember = false
    @OptionGroup var list: LongListOptions
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard customer ?? 0 >= 0 else { throw ValidationError("--customer must be a customer ID, or 0 for guests") }
        guard !all || isUnfiltered else { throw ValidationError("--all cannot be used with a filter") }
        guard !remember || search == nil else { throw ValidationError("--remember cannot be used with --search") }
        guard !remember || all || !isUnfiltered else {
            throw ValidationError("--remember needs a filter, or --all to forget the remembered one")
        }
    }

    private var isUnfiltered: Bool {
        filter.status.wanted == nil && filter.since == nil && customer == nil && search == nil
    }

    func execute(in shop: Shop) async throws {
        var query = OrderQuery(
            statuses: filter.status.wanted, since: filter.since?.timestamp, customerID: customer, text: search,
            limit: list.limit)
        if remember { try await shop.remember(query) }
        if isUnfiltered, !all, !output.json, let remembered = try await shop.rememberedFilter() {
            query = remembered.query(limit: list.limit)
            StandardError.note("Remembered filter: \(remembered.options). --all lists all orders.\n")
        }
        let stored: StoredOrders = try await shop.value {
            OrderAction.loadOrders(siteID: shop.siteID, query: query, onCompletion: $0)
        }
        try output.write(table: stored.orders, right: Order.amountColumns)
        guard !output.json else { return }
        if stored.orders.isEmpty {
            StandardError.note("No matching orders. Run 'cardpresent orders sync' to update.\n")
        }
        if stored.count > stored.orders.count {
            StandardError.note(
                "Showing \(stored.orders.count) of \(stored.count) orders. Use --limit to show more.\n")
        }
        StandardError.note(Age.text(of: "orders", since: stored.synchronizedAt, now: SystemTimeSource().now()))
    }
}

/// `orders search`
struct SearchOrders: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Search orders at the store.",
        discussion: """
            EXAMPLES:
              cardpresent orders search 'Diego Rossi'
              cardpresent orders search espresso --limit 5

            The store also searches products and addresses, unlike 'orders list --search'. The results are stored here.
            """)

    @OptionGroup var search: SearchOptions
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let page: Page<Order> = try await shop.value {
            OrderAction.searchOrders(
                siteID: shop.siteID, keyword: search.text, page: search.page, onCompletion: $0)
        }
        Rejections.tell(page.list.rejected)
        try output.write(
            table: page.elements, right: Order.amountColumns, whenEmpty: "No matching orders at the store.")
        search.announceMore(page, output)
    }
}

/// `orders show`
struct ShowOrder: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an order with its items, totals, notes, and payments.",
        discussion: """
            EXAMPLES:
              cardpresent orders show 123
              cardpresent orders show 123 --refresh

            Shows the local copy. The payments are those taken by this till; 'cardpresent payments show' shows their \
            history.
            """)

    @Argument(help: OrderName.help)
    var order: OrderName
    @Flag(help: "Fetch the order and its notes from the store first.")
    var refresh = false
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let till = try await options.till.open(
            for: refresh ? .keeps(creating: false) : Self.databaseUse, announcing: false)
        let shop = try till.shop()
        let found = refresh ? try await shop.refreshedOrder(order) : try await shop.storedOrder(order)
        if refresh {
            _ =
                try await shop.value {
                    OrderNoteAction.retrieveOrderNotes(siteID: shop.siteID, orderID: order.id, onCompletion: $0)
                } as ElementList<OrderNote>
        }
        let notes: [OrderNote] = try await shop.value {
            OrderNoteAction.loadOrderNotes(siteID: shop.siteID, orderID: order.id, onCompletion: $0)
        }
        let payments = try await till.payments(siteID: shop.siteID, orderID: order.id)
        try output.write(OrderDetails(order: found, notes: notes, payments: payments))
    }
}

/// `orders sync`
struct SyncOrders: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Sync orders from the store.",
        discussion: """
            EXAMPLES:
              cardpresent orders sync
              cardpresent orders sync --full
              cardpresent orders sync --status processing --since 2026-01-01

            Reads all orders the first time, and later those that have changed. Only --full detects orders deleted at \
            the store. Each page of 100 orders is saved at once, so Ctrl-C loses none of them. With --status or \
            --since, reads all matching orders.
            """)

    @Flag(help: "Read all orders, and remove those deleted at the store.")
    var full = false
    @OptionGroup var filter: OrderFilterOptions
    @OptionGroup var limits: SynchronizationOptions
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard !full || (filter.status.wanted == nil && filter.since == nil) else {
            throw ValidationError("--full cannot be used with --status or --since")
        }
    }

    func execute(in shop: Shop) async throws {
        let selected = OrderFilter(statuses: filter.status.wanted, after: filter.since?.timestamp)
        let report = try await SynchronizationDisplay(of: "orders").watching { show in
            try await shop.value {
                OrderAction.synchronizeAllOrders(
                    siteID: shop.siteID, filter: selected, isFull: full, pageLimit: limits.pages, onProgress: show,
                    onCompletion: $0)
            }
        } onCancel: {
            try? shop.stores.dispatch(OrderAction.cancelSynchronization(siteID: shop.siteID))
        }
        try report.tell(of: "orders", output)
    }
}

/// The orders that a command lists or syncs.
struct OrderFilterOptions: ParsableArguments {
    @OptionGroup var status: OrderStatusOptions
    @Option(help: ArgumentHelp("Only orders created on or after this date, in UTC.", valueName: "date"))
    var since: Moment?
}

/// The statuses of orders that a command selects.
struct OrderStatusOptions: ParsableArguments {
    @Option(
        name: .customLong("status"),
        help: ArgumentHelp("Only orders with this status. Can be repeated.", valueName: "status"))
    private var names: [OrderStatusName] = []

    /// The statuses; nil for all.
    var wanted: [OrderStatusEnum]? { names.isEmpty ? nil : names.map(\.status) }
}

/// An order ID on the command line: `12` or `#12`.
struct OrderName: ExpressibleByArgument, Hashable, Sendable {
    let id: Int64

    init?(argument: String) {
        let digits = argument.first == "#" ? argument.dropFirst() : argument[...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let id = Int64(digits), id > 0 else { return nil }
        self.id = id
    }

    static let help: ArgumentHelp = "Order ID, as shown by 'cardpresent orders list'."
}
