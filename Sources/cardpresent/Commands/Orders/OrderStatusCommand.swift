internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `orders status`
struct OrderStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Changes an order's status; without one, lists the store's statuses.",
        discussion: """
            The change is shown here at once. When the store refuses it, it is taken back; when the answer is lost, the \
            store is asked, and exit code 4 says that it could not be.
            """)

    @Argument(help: "The id of the order. Without it the store's statuses are listed.")
    var order: OrderName?
    @Argument(help: "The new status. Without it the order's status is shown.")
    var status: OrderStatusName?
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard status?.status != .autoDraft else { throw ValidationError("drafts belong to the store's pages") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            guard let order else { return try await listStatuses(of: shop) }
            let found =
                if let status { try await change(order, to: status, in: shop) } else {
                    try await shop.refreshedOrder(order)
                }
            guard !output.json else { return try StandardOutput.write(json: OrderView(found)) }
            try StandardOutput.write(OrderTable.text([found]))
        }
    }

    private func change(
        _ order: OrderName, to status: OrderStatusName, in shop: Shop
    ) async throws(CommandFailure) -> Order {
        do throws(CommandFailure) {
            return try await shop.change(
                advice: "'cardpresent orders status \(order.id)' asks the store what became of it"
            ) {
                OrderAction.updateOrderStatus(
                    siteID: shop.siteID, orderID: order.id, status: status.status, onCompletion: $0)
            }
        } catch {
            switch error.code {
            case "not_found": throw CommandFailure(noOrder: order)
            case "rejected":
                var refused = error
                refused.fix = "'cardpresent orders status' lists the store's statuses"
                throw refused
            default: throw error
            }
        }
    }

    private func listStatuses(of shop: Shop) async throws(CommandFailure) {
        let statuses: ElementList<OrderStatus> = try await shop.value {
            OrderStatusAction.retrieveOrderStatuses(siteID: shop.siteID, onCompletion: $0)
        }
        Rejections.tell(statuses.rejected)
        let views = statuses.elements.map(OrderStatusView.init)
        guard !output.json else { return try StandardOutput.write(json: views) }
        try StandardOutput.write(views.map(\.line).joined())
    }
}
