internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `orders notes`
struct ListOrderNotes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes", abstract: "Shows the notes about an order, newest first.")

    @Argument(help: OrderName.help)
    var order: OrderName
    @Flag(help: "Show what is stored here, and ask nobody.")
    var stored = false
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            if stored { _ = try await shop.storedOrder(order) } else { try await retrieve(from: shop) }
            let notes: [OrderNote] = try await shop.value {
                OrderNoteAction.loadOrderNotes(siteID: shop.siteID, orderID: order.id, onCompletion: $0)
            }
            let views = notes.map(OrderNoteView.init)
            guard !output.json else { return try StandardOutput.write(json: views) }
            if views.isEmpty { StandardError.write("There are no notes about order \(order.id).\n") }
            try StandardOutput.write(views.map(\.text).joined())
        }
    }

    private func retrieve(from shop: Shop) async throws(CommandFailure) {
        let notes: ElementList<OrderNote>
        do throws(CommandFailure) {
            notes = try await shop.value {
                OrderNoteAction.retrieveOrderNotes(siteID: shop.siteID, orderID: order.id, onCompletion: $0)
            }
        } catch {
            throw error.code == "not_found" ? CommandFailure(noOrder: order) : error
        }
        Rejections.tell(notes.rejected)
    }
}
