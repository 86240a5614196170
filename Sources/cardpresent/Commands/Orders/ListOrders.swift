internal import ArgumentParser
internal import Determinism
internal import Yosemite

/// `orders list`
struct ListOrders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the orders that are stored here, newest first.",
        discussion: "Asks nobody: 'cardpresent orders sync' brings what is new at the store.")

    @Option(help: ArgumentHelp("Only orders with this status; may be given more than once.", valueName: "status"))
    var status: [OrderStatusName] = []
    @Option(help: ArgumentHelp("Only orders of this day or later, in UTC.", valueName: "date"))
    var since: Moment?
    @Option(
        help: ArgumentHelp(
            "Only orders with this text in their number, or in the name, company or e-mail address that is billed.",
            valueName: "text"))
    var search: String?
    @Option(help: ArgumentHelp("Only orders of the customer with this account.", valueName: "id"))
    var customer: Int64?
    @Option(help: ArgumentHelp("The most orders to show.", valueName: "number"))
    var limit: Int = 100
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is 1 or more") }
        guard customer ?? 0 >= 0 else { throw ValidationError("--customer is the id of a customer; 0 for guests") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let query = OrderQuery(
                statuses: status.isEmpty ? nil : status.map(\.status), since: since?.timestamp, customerID: customer,
                text: search, limit: limit)
            let stored: StoredOrders = try await shop.value {
                OrderAction.loadOrders(siteID: shop.siteID, query: query, onCompletion: $0)
            }
            guard !output.json else { return try StandardOutput.write(json: stored.orders.map(OrderView.init)) }
            try StandardOutput.write(OrderTable.text(stored.orders))
            if stored.orders.isEmpty { StandardError.write("No such order is stored.\n") }
            if stored.count > stored.orders.count {
                StandardError.write("\(stored.orders.count) of \(stored.count) orders; --limit shows more.\n")
            }
            StandardError.write(Age.text(of: "orders", since: stored.synchronizedAt, now: SystemTimeSource().now()))
        }
    }
}
