internal import ArgumentParser
internal import Determinism
internal import Networking
internal import Yosemite

/// `shipments add`
struct AddShipment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Notes a parcel of an order at the store.",
        discussion: """
            'cardpresent shipments providers' shows the carriers that the store knows. For another one give --link, an \
            address where the parcel can be looked for.
            """)

    @Argument(help: OrderName.help)
    var order: OrderName
    @Option(help: ArgumentHelp("The carrier.", valueName: "name"))
    var provider: String
    @Option(help: ArgumentHelp("The carrier's number of the parcel.", valueName: "number"))
    var number: String
    @Option(help: ArgumentHelp("Where the parcel can be looked for, for a carrier of your own.", valueName: "url"))
    var link: String?
    @Option(help: ArgumentHelp("When it was sent. Default: today, by the store's clock.", valueName: "date"))
    var date: Day?
    @OptionGroup var shopOptions: ShopOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !provider.isEmpty, !number.isEmpty else { throw ValidationError("--provider and --number say something") }
        guard let link else { return }
        do { _ = try WebAddress(link) } catch { throw ValidationError("--link is no address: \(error)") }
    }

    func run() async throws {
        try await output.reporting {
            let shop = try await shopOptions.open()
            let day: CivilDate
            if let date {
                day = date.date
            } else {
                day = try await SiteClock.rules(at: shop).civil(at: SystemTimeSource().now()).startOfDay
            }
            let tracking: ShipmentTracking = try await shop.value { onCompletion in
                if let link {
                    ShipmentAction.addCustomTracking(
                        siteID: shop.siteID, orderID: order.id, provider: provider, trackingNumber: number,
                        trackingLink: link, dateShipped: day, onCompletion: onCompletion)
                } else {
                    ShipmentAction.addTracking(
                        siteID: shop.siteID, orderID: order.id, provider: provider, trackingNumber: number,
                        dateShipped: day, onCompletion: onCompletion)
                }
            }
            let view = ShipmentView(tracking)
            guard !output.json else { return try StandardOutput.write(json: view) }
            try StandardOutput.write(TextTable.text([view.row]))
        }
    }
}
