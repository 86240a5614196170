internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `customers list`
struct ListCustomers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the customers that are stored here, those who were there last first.",
        discussion: "Asks nobody: 'cardpresent customers sync' brings them.")

    @Option(
        help: ArgumentHelp(
            "Only customers with this text in their name, user name or e-mail address.", valueName: "text"))
    var search: String?
    @Option(help: ArgumentHelp("The most customers to show.", valueName: "number"))
    var limit: Int = 100
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is 1 or more") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let customers: [WCAnalyticsCustomer] = try await shop.value {
                CustomerAction.loadCustomers(siteID: shop.siteID, text: search, limit: limit, onCompletion: $0)
            }
            let views = customers.map(CustomerView.init)
            guard !output.json else { return try StandardOutput.write(json: views) }
            if views.isEmpty {
                StandardError.write("No such customer is stored: 'cardpresent customers sync' brings them.\n")
            }
            try StandardOutput.write(views.map(\.line).joined())
        }
    }
}
