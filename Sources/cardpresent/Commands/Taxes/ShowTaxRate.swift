internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `taxes show`
struct ShowTaxRate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows a tax rate and where it holds.", discussion: "Asks the store.")

    @Argument(help: "The number of the rate, as 'taxes list' shows it.")
    var rate: Int64
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let found: TaxRate = try await shop.value {
                TaxClassesAction.retrieveTaxRate(siteID: shop.siteID, taxRateID: rate, onCompletion: $0)
            }
            let view = TaxRateView(found)
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(view.text)
        }
    }
}
