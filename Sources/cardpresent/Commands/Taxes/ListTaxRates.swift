internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `taxes list`
struct ListTaxRates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the tax rates of the store.", discussion: "Asks the store.")

    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            var (rates, rejected): ([TaxRate], [DecodingFailure]) = ([], [])
            var wanted = PageRequest(size: PageRequest.largest)
            while true {
                let page: Page<TaxRate> = try await shop.value {
                    TaxClassesAction.retrieveTaxRates(siteID: shop.siteID, page: wanted, onCompletion: $0)
                }
                rates += page.elements
                rejected += page.list.rejected
                // A store that always promises another page is not believed for ever.
                guard page.hasNext, wanted.number < 1000 else { break }
                wanted = wanted.next
            }
            Rejections.tell(rejected)
            guard !output.json else { return try StandardOutput.write(json: rates.map(TaxRateView.init)) }
            if rates.isEmpty { StandardError.write("The store has no tax rates.\n") }
            try StandardOutput.write(TextTable.text(rates.map { TaxRateView($0).row }, right: [0, 3]))
        }
    }
}
