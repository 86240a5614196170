internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `shipments providers`
struct ListCarriers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "Lists the carriers that the store knows, by country.",
        discussion: "Asks the store, which wants an order named although the carriers are the same for all.")

    @Argument(help: OrderName.help)
    var order: OrderName
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let groups: [ShipmentTrackingProviderGroup] = try await shop.value {
                ShipmentAction.synchronizeShipmentTrackingProviders(
                    siteID: shop.siteID, orderID: order.id, onCompletion: $0)
            }
            let carriers = groups.flatMap { group in
                group.providers.map { CarrierView(country: group.name, name: $0.name, link: $0.url) }
            }
            guard !output.json else { return try StandardOutput.write(json: carriers) }
            if carriers.isEmpty { StandardError.write("The store knows no carriers.\n") }
            try StandardOutput.write(TextTable.text(carriers.map { [$0.country, $0.name, $0.link] }))
        }
    }
}
