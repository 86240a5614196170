internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `taxes classes`
struct ListTaxClasses: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "classes", abstract: "Lists the tax classes of the store.", discussion: "Asks the store.")

    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let list: ElementList<TaxClass> = try await shop.value {
                TaxClassesAction.retrieveTaxClasses(siteID: shop.siteID, onCompletion: $0)
            }
            Rejections.tell(list.rejected)
            guard !output.json else {
                return try StandardOutput.write(json: list.elements.map { ["slug": $0.slug, "name": $0.name] })
            }
            try StandardOutput.write(TextTable.text(list.elements.map { [$0.slug, $0.name] }))
        }
    }
}
