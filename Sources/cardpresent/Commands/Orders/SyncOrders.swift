internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `orders sync`
struct SyncOrders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Brings the store's orders here.",
        discussion: """
            The first time all orders, later those that have changed. Orders that were deleted at the store are found \
            with --full alone. Each page of 100 is kept as soon as it is here, so Ctrl-C loses none of them. With \
            --status or --since just these orders are read, all of them.
            """)

    @Flag(help: "Read all orders, and forget those that the store has no more.")
    var full = false
    @Option(help: ArgumentHelp("Only orders with this status; may be given more than once.", valueName: "status"))
    var status: [OrderStatusName] = []
    @Option(help: ArgumentHelp("Only orders of this day or later, in UTC.", valueName: "date"))
    var since: Moment?
    @Option(help: ArgumentHelp("The most pages of 100 orders to read.", valueName: "number"))
    var pages: Int?
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard pages ?? 1 > 0 else { throw ValidationError("--pages is 1 or more") }
        guard !full || (status.isEmpty && since == nil) else {
            throw ValidationError("--full reads everything: it goes without --status and --since")
        }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let filter = OrderFilter(statuses: status.isEmpty ? nil : status.map(\.status), after: since?.timestamp)
            let report = try await SynchronizationDisplay(of: "orders").watching { show in
                try await shop.value {
                    OrderAction.synchronizeAllOrders(
                        siteID: shop.siteID, filter: filter, isFull: full, pageLimit: pages, onProgress: show,
                        onCompletion: $0)
                }
            } onCancel: {
                try? shop.stores.dispatch(OrderAction.cancelSynchronization(siteID: shop.siteID))
            }
            try SynchronizationView(report).tell(of: "orders", isJSON: output.json)
        }
    }
}
