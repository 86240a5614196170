internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `orders search`
struct SearchOrders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Lets the store search its orders.",
        discussion: """
            The store looks into more than 'orders list --search' does, products and addresses too. What it finds is \
            kept here.
            """)

    @Argument(help: "What to look for.")
    var text: String
    @Option(help: ArgumentHelp("The most orders to show, up to 100.", valueName: "number"))
    var limit: Int = 25
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...100).contains(limit) else { throw ValidationError("--limit is 1 to 100") }
        guard !text.isEmpty else { throw ValidationError("there is nothing to look for") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let page: Page<Order> = try await shop.value {
                OrderAction.searchOrders(
                    siteID: shop.siteID, keyword: text, page: PageRequest(size: limit), onCompletion: $0)
            }
            Rejections.tell(page.list.rejected)
            guard !output.json else { return try StandardOutput.write(json: page.elements.map(OrderView.init)) }
            if page.elements.isEmpty { StandardError.write("The store finds no order.\n") }
            try StandardOutput.write(OrderTable.text(page.elements))
            if page.hasNext { StandardError.write("The store finds more; --limit shows them.\n") }
        }
    }
}
