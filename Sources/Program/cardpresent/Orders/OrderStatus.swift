import ArgumentParser
import Networking
import Yosemite

/// `orders status`
struct OrderStatusCommand: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show or change an order's status, or list the store's statuses.",
        discussion: """
            EXAMPLES:
              cardpresent orders status
              cardpresent orders status 123
              cardpresent orders status 123 completed

            The local copy changes at once. If the store rejects the change, it is undone. If the response is lost, \
            the command asks the store for the status; exit code 4 means that the store did not respond.
            """)

    @Argument(help: "Order ID. Omit it to list the store's statuses.")
    var order: OrderName?
    @Argument(help: "New status. Omit it to show the current status.")
    var status: OrderStatusName?
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard status?.status != .autoDraft else { throw ValidationError("drafts can only be created in the store") }
    }

    func execute(in shop: Shop) async throws {
        guard let order else { return try await listStatuses(of: shop) }
        let found =
            if let status { try await change(order, to: status, in: shop) } else {
                try await shop.refreshedOrder(order)
            }
        try output.write(found)
    }

    private func change(
        _ order: OrderName, to status: OrderStatusName, in shop: Shop
    ) async throws(CommandFailure) -> Order {
        do throws(CommandFailure) {
            return try await shop.change(
                advice: "run 'cardpresent orders status \(order.id)' to get the status from the store"
            ) {
                OrderAction.updateOrderStatus(
                    siteID: shop.siteID, orderID: order.id, status: status.status, onCompletion: $0)
            }
        } catch {
            switch error.code {
            case "not_found": throw CommandFailure(noOrder: order)
            case "rejected":
                var refused = error
                refused.fix = "'cardpresent orders status' lists the store's statuses"
                throw refused
            default: throw error
            }
        }
    }

    private func listStatuses(of shop: Shop) async throws(CommandFailure) {
        let statuses = try await shop.elements {
            OrderStatusAction.retrieveOrderStatuses(siteID: shop.siteID, onCompletion: $0)
        }
        try output.write(table: statuses, right: [2])
    }
}

/// An order status on the command line: one of WooCommerce's, or one that a plug-in adds.
struct OrderStatusName: ExpressibleByArgument, Hashable, Sendable {
    let status: OrderStatusEnum

    init(_ status: OrderStatusEnum) { self.status = status }

    /// Accepts the status with or without the prefix `wc-` that the store uses internally.
    init?(argument: String) {
        let word = argument.hasPrefix("wc-") ? argument.dropFirst(3) : argument[...]
        let isWord = word.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
        }
        guard !word.isEmpty, word.utf8.count <= 40, isWord, word != "any" else { return nil }
        status = OrderStatusEnum(rawValue: String(word))
    }

    var defaultValueDescription: String { status.rawValue }

    static let defaultCompletionKind: CompletionKind = .list([
        "pending", "processing", "on-hold", "completed", "cancelled", "refunded", "failed",
    ])
}

extension OrderStatus: TableRow {
    var json: JSONObject {
        // The number of orders with this status.
        ["status": slug.rawValue, "name": name, "orders": total]
    }

    static var heads: [String] { ["status", "name", "orders"] }

    var cells: [String] { [slug.rawValue, name, String(total)] }
}
