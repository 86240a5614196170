internal import ArgumentParser

/// `shipments`
struct ShipmentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shipments", abstract: "Shows and notes the parcels of orders.",
        discussion: "The store needs the plug-in for shipment tracking.",
        subcommands: [ListShipments.self, AddShipment.self, DeleteShipment.self, ListCarriers.self])
}
