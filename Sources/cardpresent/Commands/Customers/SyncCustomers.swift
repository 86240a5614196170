internal import ArgumentParser
internal import Yosemite

/// `customers sync`
struct SyncCustomers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Brings the store's customers here.",
        discussion: """
            All of them, with an account or without; those whom the store has no more are forgotten. Each page of 100 is \
            kept as soon as it is here, so Ctrl-C loses none of them.
            """)

    @Option(help: ArgumentHelp("The most pages of 100 customers to read.", valueName: "number"))
    var pages: Int?
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard pages ?? 1 > 0 else { throw ValidationError("--pages is 1 or more") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let report = try await SynchronizationDisplay(of: "customers").watching { show in
                try await shop.value {
                    CustomerAction.synchronizeEveryCustomer(
                        siteID: shop.siteID, pageLimit: pages, onProgress: show, onCompletion: $0)
                }
            } onCancel: {
                try? shop.stores.dispatch(CustomerAction.cancelSynchronization(siteID: shop.siteID))
            }
            try SynchronizationView(report).tell(of: "customers", isJSON: output.json)
        }
    }
}
