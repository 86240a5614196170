import ArgumentParser
import Determinism
import Networking
import Yosemite

/// `shipments`
struct ShipmentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shipments", abstract: "List, add, and delete shipment tracking.",
        discussion: "Requires the shipment tracking plug-in at the store.",
        subcommands: [ListShipments.self, AddShipment.self, DeleteShipment.self, ListCarriers.self])
}

/// `shipments list`
struct ListShipments: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the shipments of an order.",
        discussion: """
            EXAMPLES:
              cardpresent shipments list 123

            Requires a connection to the store.
            """)

    @Argument(help: OrderName.help)
    var order: OrderName
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let shipments = try await shop.elements {
            ShipmentAction.synchronizeShipmentTrackingData(
                siteID: shop.siteID, orderID: order.id, onCompletion: $0)
        }
        try output.write(table: shipments, whenEmpty: "The order has no shipments.")
    }
}

/// `shipments add`
struct AddShipment: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a shipment to an order.",
        discussion: """
            EXAMPLES:
              cardpresent shipments add 123 --provider UPS --number 1Z999

            'cardpresent shipments providers' lists the store's carriers. For another carrier, add a tracking URL with \
            --link. Without --provider, the carrier is that of the last shipment added on this machine; with --link, \
            the last one of your own.
            """)

    @Argument(help: OrderName.help)
    var order: OrderName
    @Option(help: ArgumentHelp("Carrier. Default: the one used last.", valueName: "name"))
    var provider: String?
    @Option(help: ArgumentHelp("Tracking number.", valueName: "number"))
    var number: String
    @Option(help: ArgumentHelp("Tracking URL, for a custom carrier.", valueName: "url"))
    var link: String?
    @Option(help: ArgumentHelp("Shipping date. Default: today, in the store's time zone.", valueName: "date"))
    var date: Day?
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard provider?.isEmpty != true, !number.isEmpty else {
            throw ValidationError("--provider and --number must not be empty")
        }
        guard let link else { return }
        do { _ = try WebAddress(link) } catch { throw ValidationError("--link is not a valid URL: \(error)") }
    }

    func execute(in shop: Shop) async throws {
        let provider =
            if let provider { provider } else { try await shop.rememberedCarrier(isCustom: link != nil) }
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
        await shop.remember(carrier: provider, isCustom: link != nil)
        try output.write(tracking.json, text: TextTable.text([tracking.cells]))
    }
}

/// `shipments delete`
struct DeleteShipment: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a shipment from an order.",
        discussion: """
            EXAMPLES:
              cardpresent shipments delete 123 7448019fb3f2ec82d5e2aa2f0fcac1ff
            """)

    @Argument(help: OrderName.help)
    var order: OrderName
    @Argument(help: "Shipment ID, as shown by 'shipments list'.")
    var tracking: String
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard !tracking.isEmpty else { throw ValidationError("the shipment ID is empty") }
    }

    func execute(in shop: Shop) async throws {
        let deleted: ShipmentTracking = try await shop.value {
            ShipmentAction.deleteTracking(
                siteID: shop.siteID, orderID: order.id, trackingID: tracking, onCompletion: $0)
        }
        try output.write(deleted.json, text: "\(tracking.harmless) deleted\n")
    }
}

/// `shipments providers`
struct ListCarriers: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "List the store's carriers by country.",
        discussion: """
            EXAMPLES:
              cardpresent shipments providers 123

            Requires a connection to the store. The carriers are the same for all orders, but the store requires one.
            """)

    @Argument(help: OrderName.help)
    var order: OrderName
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        let groups: [ShipmentTrackingProviderGroup] = try await shop.value {
            ShipmentAction.synchronizeShipmentTrackingProviders(
                siteID: shop.siteID, orderID: order.id, onCompletion: $0)
        }
        let carriers = groups.flatMap { group in
            group.providers.map { Carrier(country: group.name, name: $0.name, link: $0.url) }
        }
        try output.write(table: carriers, whenEmpty: "The store has no carriers.")
    }
}

extension ShipmentTracking: TableRow {
    var json: JSONObject {
        [
            "id": trackingID, "order": orderID, "carrier": trackingProvider, "number": trackingNumber,
            // The shipping date: 2026-01-02.
            "link": trackingLink, "shipped": dateShipped?.dayText,
        ]
    }

    static var heads: [String] { ["id", "carrier", "number", "shipped", "link"] }

    var cells: [String] {
        [trackingID, trackingProvider ?? "", trackingNumber, dateShipped?.dayText ?? "", trackingLink ?? ""]
    }
}

/// A carrier of the store.
private struct Carrier: TableRow {
    let country: String
    let name: String
    /// The tracking URL, with `%1$s` for the tracking number.
    let link: String

    var json: JSONObject { ["country": country, "name": name, "link": link] }
    var cells: [String] { [country, name, link] }
    static var heads: [String] { ["country", "carrier", "link"] }
}
