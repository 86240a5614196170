internal import ArgumentParser

/// `orders`
struct OrdersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders", abstract: "Shows, brings, creates and changes the orders of the store.",
        discussion: """
            Orders are named by their ids. The number that a customer sees is often the same, and another one where a \
            plug-in makes numbers; 'orders list --search NUMBER' finds the id. Amounts are exact, in the order's \
            currency.
            """,
        subcommands: [
            ListOrders.self, ShowOrder.self, SyncOrders.self, SearchOrders.self, CreateOrder.self, AddOrderNote.self,
            ListOrderNotes.self, OrderStatusCommand.self,
        ])
}
