internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `shipments list`
struct ListShipments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the parcels of an order.", discussion: "Asks the store.")

    @Argument(help: OrderName.help)
    var order: OrderName
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let list: ElementList<ShipmentTracking> = try await shop.value {
                ShipmentAction.synchronizeShipmentTrackingData(
                    siteID: shop.siteID, orderID: order.id, onCompletion: $0)
            }
            Rejections.tell(list.rejected)
            let parcels = list.elements.map(ShipmentView.init)
            guard !output.json else { return try StandardOutput.write(json: parcels) }
            if parcels.isEmpty { StandardError.write("The order has no parcels.\n") }
            try StandardOutput.write(TextTable.text(parcels.map(\.row)))
        }
    }
}
