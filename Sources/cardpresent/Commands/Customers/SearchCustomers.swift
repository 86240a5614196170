internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `customers search`
struct SearchCustomers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Lets the store search its customers.",
        discussion: "What it finds is kept here.")

    @Argument(help: "What to look for.")
    var text: String
    @Option(name: .customLong("in"), help: ArgumentHelp("Where to look.", valueName: "place"))
    var place = CustomerSearchPlace(.all)
    @Option(help: ArgumentHelp("The most customers to show, up to 100.", valueName: "number"))
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
            let page: Page<WCAnalyticsCustomer> = try await shop.value {
                CustomerAction.searchWCAnalyticsCustomers(
                    siteID: shop.siteID, page: PageRequest(size: limit), keyword: text, filter: place.filter,
                    onCompletion: $0)
            }
            Rejections.tell(page.list.rejected)
            let views = page.elements.map(CustomerView.init)
            guard !output.json else { return try StandardOutput.write(json: views) }
            if views.isEmpty { StandardError.write("The store finds no customer.\n") }
            try StandardOutput.write(views.map(\.line).joined())
            if page.hasNext { StandardError.write("The store finds more; --limit shows them.\n") }
        }
    }
}
