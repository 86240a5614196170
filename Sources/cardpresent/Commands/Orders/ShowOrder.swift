internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `orders show`
struct ShowOrder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows an order with its lines, totals, notes and payments.",
        discussion: """
            Shows what is stored here. The payments are those that this till took for the order; 'cardpresent payments \
            show' tells their story.
            """)

    @Argument(help: OrderName.help)
    var order: OrderName
    @Flag(help: "Ask the store first whether the order or its notes have changed.")
    var refresh = false
    @OptionGroup var configurationOptions: ConfigurationOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let till = try await Till.open(settings: try configurationOptions.load(), data: data)
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
            let view = OrderDetailView(found, notes: notes, payments: payments)
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(view.text)
        }
    }
}
