import ArgumentParser
import Determinism
import Money
import Networking
import Yosemite

/// `orders refunds`
struct ListOrderRefunds: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "refunds", abstract: "List the refunds of an order, newest first.",
        discussion: """
            EXAMPLES:
              cardpresent orders refunds 123

            A refund that the till made has the payment in its reason. Give money back with 'cardpresent refund'.
            """)

    @Argument(help: OrderName.help)
    var order: OrderName
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        // Refunds have no currency of their own.
        let currency = try await shop.refreshedOrder(order).currency
        var rows: [RefundRow] = []
        var wanted: PageRequest? = PageRequest(size: PageRequest.largest)
        while let request = wanted {
            let page: Page<Refund> = try await shop.value {
                RefundAction.synchronizeRefunds(
                    siteID: shop.siteID, orderID: order.id, page: request, onCompletion: $0)
            }
            Rejections.tell(page.list.rejected)
            rows += page.elements.map { RefundRow(refund: $0, currency: currency) }
            wanted = page.hasNext && !page.elements.isEmpty ? request.next : nil
        }
        try output.write(table: rows, right: [2], whenEmpty: "Order \(order.id) has no refunds.")
    }
}

/// A refund with the currency of its order.
struct RefundRow: TableRow, Sendable {
    let refund: Refund
    let currency: String

    var json: JSONObject {
        let object: JSONObject = [
            "id": refund.id, "order": refund.orderID, "amount": refund.amount.description,
            "reason": refund.reason, "createdAt": refund.dateCreatedGMT?.description,
            // Whether the store's payment gateway gave the money back.
            "byGateway": refund.refundedPayment,
            "lines": refund.lineItems.map { line -> JSONObject in
                [
                    "line": line.refundedItemID, "name": line.name, "quantity": line.quantity.description,
                    "total": line.total.description, "tax": line.totalTax.description,
                ]
            },
        ]
        return object.amounts(inCode: currency)
    }

    static var heads: [String] { ["id", "time", "amount", "reason"] }

    var cells: [String] {
        [
            String(refund.id), refund.dateCreatedGMT?.minuteText ?? "no date", "\(refund.amount) \(currency)",
            refund.reason.harmless,
        ]
    }
}
