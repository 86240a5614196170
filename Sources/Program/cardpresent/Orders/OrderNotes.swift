import ArgumentParser
import Determinism
import Networking
import Yosemite

/// `orders note`
struct AddOrderNote: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "note", abstract: "Add a note to an order.",
        discussion: """
            EXAMPLES:
              cardpresent orders note 123 'Packed by Anna'
              cardpresent orders note 123 'Ready for pickup' --customer

            The note is visible to the staff. With --customer, the store also sends it to the customer.
            """)

    @Argument(help: OrderName.help)
    var order: OrderName
    @Argument(help: "Text of the note.")
    var text: String
    @Flag(help: "Send the note to the customer.")
    var customer = false
    @OptionGroup var options: CommonOptions

    func validate() throws {
        guard !text.allSatisfy(\.isWhitespace) else { throw ValidationError("the note is empty") }
    }

    func execute(in shop: Shop) async throws {
        let note: OrderNote
        do throws(CommandFailure) {
            note = try await shop.change(
                advice: "the note may exist; check with 'cardpresent orders notes \(order.id)'"
            ) {
                OrderNoteAction.addOrderNote(
                    siteID: shop.siteID, orderID: order.id, isCustomerNote: customer, note: text, onCompletion: $0)
            }
        } catch {
            throw error.code == "not_found" ? CommandFailure(noOrder: order) : error
        }
        try output.write(note)
    }
}

/// `orders notes`
struct ListOrderNotes: ShopCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes", abstract: "List the notes of an order, newest first.",
        discussion: """
            EXAMPLES:
              cardpresent orders notes 123
              cardpresent orders notes 123 --stored
            """)

    @Argument(help: OrderName.help)
    var order: OrderName
    @Flag(help: "Use the local copy instead of asking the store.")
    var stored = false
    @OptionGroup var options: CommonOptions

    func execute(in shop: Shop) async throws {
        if stored { _ = try await shop.storedOrder(order) } else { try await retrieve(from: shop) }
        let notes: [OrderNote] = try await shop.value {
            OrderNoteAction.loadOrderNotes(siteID: shop.siteID, orderID: order.id, onCompletion: $0)
        }
        try output.write(list: notes, whenEmpty: "Order \(order.id) has no notes.")
    }

    private func retrieve(from shop: Shop) async throws(CommandFailure) {
        let notes: ElementList<OrderNote>
        do throws(CommandFailure) {
            notes = try await shop.value {
                OrderNoteAction.retrieveOrderNotes(siteID: shop.siteID, orderID: order.id, onCompletion: $0)
            }
        } catch {
            throw error.code == "not_found" ? CommandFailure(noOrder: order) : error
        }
        Rejections.tell(notes.rejected)
    }
}

extension OrderNote: CommandResult {
    var json: JSONObject {
        [
            "id": id, "order": orderID, "note": note, "author": author,
            // Whether the note was sent to the customer.
            "customer": customerNote, "createdAt": dateCreatedGMT?.description,
        ]
    }

    /// A header line with the note below it.
    var text: String {
        let moment = dateCreatedGMT?.minuteText ?? "no date"
        let head = "\(moment)  \(author.harmless)" + (customerNote ? ", to the customer" : "")
        return ([head] + note.harmlessLines.map { "  " + $0 }).joined(separator: "\n") + "\n"
    }
}
