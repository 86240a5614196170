internal import ArgumentParser
internal import Networking
internal import Yosemite

/// `shipments delete`
struct DeleteShipment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Takes a parcel away from an order, at the store.")

    @Argument(help: OrderName.help)
    var order: OrderName
    @Argument(help: "The parcel, as 'shipments list' shows it.")
    var tracking: String
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !tracking.isEmpty else { throw ValidationError("the name of a parcel is not empty") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let deleted: ShipmentTracking = try await shop.value {
                ShipmentAction.deleteTracking(
                    siteID: shop.siteID, orderID: order.id, trackingID: tracking, onCompletion: $0)
            }
            guard !output.json else { return try StandardOutput.write(json: ShipmentView(deleted)) }
            try StandardOutput.write("\(tracking.harmless) deleted\n")
        }
    }
}
